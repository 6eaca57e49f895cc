// context.cpp -- see context.hpp.
#include "read/context.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace pawl::read {
namespace {

using Severity = Oddities::Severity;

// Deeper or longer than this no context is; it is kept as a remark about itself.
constexpr std::size_t kLongest = 4096;

std::string size_text(double bytes) {
  if (bytes >= 1048576 && std::fmod(bytes, 1048576) == 0) return fmt::format("{} MiB", bytes / 1048576);
  if (bytes >= 1024 && std::fmod(bytes, 1024) == 0) return fmt::format("{} KiB", bytes / 1024);
  return fmt::format("{} B", bytes);
}

// {"type": "Data", "level": 1, "size": 32768, "num_sharing": 2} -> "L1 Data 32 KiB shared by 2"
std::string cache_text(Scanner& scanner) {
  std::string key_scratch, scratch, type;
  double level = 0, size = 0, sharing = 0;
  scanner.expect('{', "before a cache");
  if (!scanner.take('}')) do {
      const std::string key(scanner.key(key_scratch));
      if (const Kind kind = scanner.kind(); kind == Kind::object || kind == Kind::array) {
        scanner.skip_value();
        continue;
      }
      const Scalar value = scanner.scalar(scratch);
      if (key == "type") type = value.text;
      if (std::isnan(value.number)) continue;
      if (key == "level") level = value.number;
      if (key == "size") size = value.number;
      if (key == "num_sharing") sharing = value.number;
    } while (scanner.more('}'));
  std::string text = fmt::format("L{} {} {}", level, type, size_text(size));
  if (sharing > 1) text += fmt::format(" shared by {}", sharing);
  return text;
}

// Any value as one line of text.
std::string value_text(Scanner& scanner, std::string_view key) {
  std::string scratch;
  const auto join = [](std::string& list, std::string_view item) {
    if (!list.empty()) list += ", ";
    list += item;
  };
  switch (scanner.kind()) {
    case Kind::array: {
      scanner.expect('[', "before a list");
      std::string list;
      if (!scanner.take(']')) do {
          const Kind kind = scanner.kind();
          if (kind == Kind::object && key == "caches") {
            join(list, cache_text(scanner));
          } else if (kind == Kind::object || kind == Kind::array) {
            scanner.skip_value();
            join(list, "{...}");
          } else {
            join(list, scanner.scalar(scratch, true).text);
          }
        } while (scanner.more(']'));
      return list;
    }
    case Kind::object:
      scanner.skip_value();
      return "{...}";
    default:
      return std::string(scanner.scalar(scratch).text);
  }
}

// Calls member(key) for each member of the object that is next; member must take the value.
template <typename Member>
void each_member(Scanner& scanner, const char* where, Member member) {
  std::string key_scratch;
  scanner.expect('{', where);
  if (scanner.take('}')) return;
  do {
    const std::string key(scanner.key(key_scratch));
    member(key);
  } while (scanner.more('}'));
}

// The object's numbers; anything else in it is passed over with a note.
template <typename Number>
void each_number(Scanner& scanner, Oddities& oddities, const char* where, Number number) {
  each_member(scanner, where, [&](const std::string& key) {
    std::string scratch;
    const std::size_t offset = scanner.offset();
    const Kind kind = scanner.kind();
    if (kind == Kind::object || kind == Kind::array) {
      scanner.skip_value();
    } else if (const Scalar value = scanner.scalar(scratch); value.kind == Kind::number) {
      number(key, value.number);
      return;
    }
    oddities.add(Severity::note, offset, "", fmt::format("\"{}\" {} is no number: left out", key, where));
  });
}

// Empty also where pawl::bench_main did not know.
std::string take(const std::map<std::string, std::string>& context, const std::string& key) {
  const auto found = context.find(key);
  return found == context.end() || found->second == "unknown" ? std::string() : found->second;
}

// What a key of the context tells about: the machine, the method, or one process run and what has a field of its own.
enum class Role { machine, method, elsewhere };

Role role_of(std::string_view key) {
  static constexpr std::string_view kMachine[] = {
      "host_name",         "mhz_per_cpu", "cpu_scaling_enabled", "aslr_enabled",   "caches",        "pawl_isa_runnable",
      "pawl_cpu_features", "pawl_cores",  "pawl_l1d_bytes",      "pawl_l2_bytes",  "pawl_l3_bytes", "pawl_smt",
      "pawl_governor",     "pawl_turbo",  "pawl_hypervisor",     "pawl_huge_pages"};
  static constexpr std::string_view kMethod[] = {"library_version", "library_build_type", "json_schema_version"};
  static constexpr std::string_view kElsewhere[] = {
      "pawl_run_index",  "pawl_pair_index", "pawl_placement", "pawl_load_1min", "pawl_machine_key",
      "pawl_cpu_model",  "pawl_kernel",     "pawl_arch",      "pawl_compiler",  "pawl_flags",
      "pawl_build_type", "pawl_git_commit", "pawl_git_dirty", "pawl_schema"};
  const auto among = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
  };
  if (among(kMachine)) return Role::machine;
  if (among(kMethod)) return Role::method;
  if (among(kElsewhere) || !key.starts_with("pawl_")) return Role::elsewhere;
  return Role::method;  // what else bench_main says, and what people add: --benchmark_context=pawl_...
}

std::string_view bare(std::string_view key) { return key.starts_with("pawl_") ? key.substr(5) : key; }

template <typename Integer>
void take_integer(const std::map<std::string, std::string>& context, const std::string& key, Integer* value) {
  const std::string text = take(context, key);
  Integer parsed = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error == std::errc() && rest == text.data() + text.size()) *value = parsed;
}

std::string file_name(std::string_view path) {
  const std::size_t slash = path.find_last_of("/\\");
  return std::string(slash == path.npos ? path : path.substr(slash + 1));
}

}  // namespace

void read_context(Scanner& scanner, Oddities& oddities, model::Process& process) {
  each_member(scanner, "before the context", [&](const std::string& key) {
    const std::size_t offset = scanner.offset();
    std::string text = value_text(scanner, key);
    if (text.size() > kLongest) {
      oddities.add(Severity::note, offset, "",
                   fmt::format("the context's \"{}\" is {} bytes long: left out", key, text.size()));
      return;
    }
    const auto [at, is_new] = process.context.try_emplace(key, std::move(text));
    if (is_new) return;
    at->second += ", " + text;
    oddities.add(Severity::note, offset, "", fmt::format("the context's \"{}\" is there twice: both are kept", key));
  });
  if (const std::uint8_t repairs = scanner.take_repairs(); repairs != 0)
    oddities.add(Severity::note, scanner.offset(), "", "the context has characters that no JSON holds: replaced");
}

void read_pawl_section(Scanner& scanner, Oddities& oddities, model::Process& process) {
  model::Disturbance& disturbance = process.disturbance;
  each_member(scanner, "before the \"pawl\" section", [&](const std::string& key) {
    const std::size_t offset = scanner.offset();
    const Kind kind = scanner.kind();
    if (key == "yardsticks" && kind == Kind::object) {
      each_member(scanner, "before the yardsticks", [&](const std::string& when) {
        auto* into = when == "start" ? &process.yardsticks_start : when == "end" ? &process.yardsticks_end : nullptr;
        if (into == nullptr || scanner.kind() != Kind::object)
          scanner.skip_value();
        else
          each_number(scanner, oddities, "among the yardsticks",
                      [&](const std::string& name, double value) { into->insert_or_assign(name, value); });
      });
    } else if (key == "process" && kind == Kind::object) {
      each_number(scanner, oddities, "in the \"pawl\" section", [&](const std::string& name, double value) {
        const std::pair<const char*, std::optional<double>*> fields[] = {{"start_unix_s", &process.start_unix_s},
                                                                         {"end_unix_s", &process.end_unix_s},
                                                                         {"wall_s", &process.wall_s},
                                                                         {"cpu_s", &process.cpu_s},
                                                                         {"peak_rss_bytes", &process.peak_rss_bytes},
                                                                         {"steal", &disturbance.steal},
                                                                         {"other_busy", &disturbance.other_busy}};
        for (const auto& [field, into] : fields)
          if (name == field) {
            *into = value;
            return;
          }
        process.context["pawl_process_" + name] = fmt::format("{}", value);
      });
    } else if (kind == Kind::object || kind == Kind::array) {
      scanner.skip_value();
    } else {
      std::string scratch;
      const Scalar value = scanner.scalar(scratch);
      if (key == "schema_version" && value.number != model::ResultSet::kSchemaVersion)
        oddities.add(
            Severity::warning, offset, "",
            fmt::format("the \"pawl\" section has schema_version {}, this program knows {}: read as far as it is "
                        "known",
                        value.text, model::ResultSet::kSchemaVersion));
    }
  });
  double drift = -1;
  for (const auto& [name, start] : process.yardsticks_start)
    if (const auto end = process.yardsticks_end.find(name);
        end != process.yardsticks_end.end() && start > 0 && !model::is_of_threads(name))
      drift = std::max(drift, std::abs(end->second / start - 1));
  if (drift >= 0) disturbance.yardstick_drift = drift;
}

void interpret_context(model::Process& process, model::Machine& machine, model::Methodology& methodology) {
  const auto& context = process.context;
  process.executable = file_name(take(context, "executable"));
  take_integer(context, "pawl_run_index", &process.run_index);
  take_integer(context, "pawl_pair_index", &process.pair_index);
  methodology.date = take(context, "date");
  if (!process.start_unix_s) process.start_unix_s = unix_seconds(methodology.date);

  machine.key = take(context, "pawl_machine_key");
  machine.cpu_model = take(context, "pawl_cpu_model");
  machine.os = take(context, "pawl_kernel");
  machine.arch = take(context, "pawl_arch");
  take_integer(context, "num_cpus", &machine.cores);
  const std::string dirty = take(context, "pawl_git_dirty");
  methodology.dirty = dirty == "yes" || dirty == "true" || dirty == "1";
  methodology.commit = take(context, "pawl_git_commit");
  methodology.compiler = take(context, "pawl_compiler");
  methodology.flags = take(context, "pawl_flags");
  methodology.build_type = take(context, "pawl_build_type");

  for (const auto& [key, value] : context) switch (role_of(key)) {
      case Role::machine:
        machine.details[std::string(bare(key))] = value;
        break;
      case Role::method:
        methodology.settings[std::string(bare(key))] = value;
        break;
      case Role::elsewhere:
        break;
    }
}

// 2026-11-20T21:29:29+00:00, 2016-08-02 17:44:46, fractions of a second and Z
std::optional<double> unix_seconds(std::string_view date) {
  const auto number = [&](std::size_t at, std::size_t length) {
    int value = -1;
    if (at + length > date.size()) return -1;
    const char* last = date.data() + at + length;
    const auto [rest, error] = std::from_chars(date.data() + at, last, value);
    return error == std::errc() && rest == last ? value : -1;
  };
  if (date.size() < 19 || date[4] != '-' || date[7] != '-' || (date[10] != 'T' && date[10] != ' ') || date[13] != ':' ||
      date[16] != ':')
    return std::nullopt;
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2), hour = number(11, 2), minute = number(14, 2),
            second = number(17, 2);
  const std::chrono::year_month_day days{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < 0 || month < 0 || day < 0 || !days.ok() || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 60)
    return std::nullopt;
  double seconds = static_cast<double>(std::chrono::sys_days(days).time_since_epoch().count()) * 86400.0 + hour * 3600 +
                   minute * 60 + second;

  std::size_t at = 19;
  if (at < date.size() && date[at] == '.') {
    double fraction = 0;
    const auto [rest, error] =
        std::from_chars(date.data() + at, date.data() + date.size(), fraction, std::chars_format::fixed);
    if (error == std::errc() && fraction >= 0 && fraction < 1) seconds += fraction;
    at = static_cast<std::size_t>(rest - date.data());
  }
  if (at < date.size() && (date[at] == '+' || date[at] == '-')) {
    const int hours = number(at + 1, 2);
    const bool colon = at + 3 < date.size() && date[at + 3] == ':';
    const int minutes = std::max(0, number(at + (colon ? 4 : 3), 2));
    if (hours >= 0 && hours <= 23) seconds -= (date[at] == '+' ? 1 : -1) * (hours * 3600.0 + minutes * 60.0);
  }
  return seconds;
}

}  // namespace pawl::read
