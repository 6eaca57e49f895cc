// limit.cpp -- names, work, roofs.
#include "show/limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "decide/sample.hpp"

namespace pawl::show {
namespace {

// Operations whose output is next to nothing beside their inputs, also along an axis ("sum_axis1").
constexpr std::array<std::string_view, 14> kReadOnly = {
    "dot",      "sum",    "min",  "max",  "argmax",       "argmin",    "mean",
    "variance", "stddev", "norm", "spmv", "spmv_planned", "sum_slice", "cosine_similarity"};

double metric(const model::Reading& reading, std::string_view name) {
  const model::Series* series = reading.find(name);
  std::vector<double> values;
  if (series != nullptr)
    std::ranges::copy_if(series->values, std::back_inserter(values), [](double v) { return std::isfinite(v); });
  return values.empty() ? 0 : decide::centre_of(std::move(values), decide::quantity_of(name));
}

constexpr std::array<std::string_view, 6> kOurs = {"pawl", "scalar", "sse2", "avx2", "avx512", "neon"};

// The smallest of the levels that hold a working set.
struct Level {
  std::string_view key, word;
};
constexpr Level kL1 = {"l1", "L1"}, kL2 = {"l2", "L2"}, kL3 = {"l3", "L3"}, kMemory = {"mem", "memory"};

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The number behind a parameter's key, as 4096 in "m:1/n:4096".
std::optional<int> parameter(std::string_view parameters, std::string_view key) {
  for (std::size_t at = 0; at < parameters.size();) {
    const std::size_t slash = std::min(parameters.find('/', at), parameters.size());
    const std::string_view part = parameters.substr(at, slash - at);
    if (part.size() > key.size() && part.starts_with(key) && part[key.size()] == ':')
      return whole_number(part.substr(key.size() + 1));
    at = slash + 1;
  }
  return std::nullopt;
}

// Whether the copy and triad yardsticks are no limit of an operation, since it writes next to nothing.
bool only_reads(const BenchmarkName& name) {
  constexpr std::string_view kAxis = "_axis";
  const std::string_view op = std::string_view(name.op).substr(0, name.op.find(kAxis));
  if (std::ranges::find(kReadOnly, op) != kReadOnly.end()) return true;
  // Of a product of few rows: C is less than a twentieth of A and B.
  const auto m = parameter(name.parameters, "m"), n = parameter(name.parameters, "n"),
             k = parameter(name.parameters, "k");
  return m && n && k && 20.0 * *m * *n < 1.0 * *k * (1.0 * *m + *n);
}

double cache_bytes(const model::Process& process, const char* key) {
  const auto found = process.context.find(key);
  if (found == process.context.end()) return 0;
  double bytes = 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), bytes);
  return bytes;
}

}  // namespace

std::optional<BenchmarkName> parse_name(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t slash = std::min(name.find('/', at), name.size());
    parts.push_back(name.substr(at, slash - at));
    at = slash + 1;
  }
  if (parts.size() < 3) return std::nullopt;
  BenchmarkName parsed;
  const auto is_word = [](std::string_view text) {
    return !text.empty() && text.find(':') == std::string_view::npos &&
           text.find_first_not_of("0123456789") != std::string_view::npos;
  };
  if (!is_word(parts[0]) || !is_word(parts[1]) || !is_word(parts[2])) return std::nullopt;
  parsed.op = parts[0];
  parsed.type = parts[1];
  parsed.impl = parts[2];
  for (std::size_t i = 3; i < parts.size(); ++i) {
    if (!parsed.parameters.empty()) parsed.parameters += '/';
    parsed.parameters += parts[i];
    constexpr std::string_view kThreads = "threads:";
    if (parts[i].starts_with(kThreads)) parsed.threads = whole_number(parts[i].substr(kThreads.size())).value_or(1);
  }
  return parsed;
}

bool is_peer(std::string_view impl) {
  return !impl.starts_with("pawl-") && std::ranges::find(kOurs, impl) == kOurs.end();
}

std::optional<IterationWork> work_of(const model::Reading& reading) {
  const double seconds = metric(reading, model::kRealTime);
  if (reading.status != model::Status::ok || !(seconds > 0)) return std::nullopt;
  const auto amount = [&](const char* counter) {
    const double rate = metric(reading, counter);
    return rate > 0 && std::isfinite(rate) ? rate * seconds : 0;
  };
  IterationWork work{seconds, amount("flops"), amount("bytes"), 0};
  if (work.bytes == 0) work.bytes = amount("bytes_per_second");
  const double set = metric(reading, "working_set_bytes");
  work.working_set_bytes = set > 0 ? set : work.bytes;
  if (work.flops == 0 && work.bytes == 0) return std::nullopt;
  return work;
}

CacheLevels caches_of(const model::Process& process) {
  return {cache_bytes(process, "pawl_l1d_bytes"), cache_bytes(process, "pawl_l2_bytes"),
          cache_bytes(process, "pawl_l3_bytes")};
}

std::map<std::string, double> yardsticks_of(const model::Process& process) {
  std::map<std::string, double> best = process.yardsticks_start;
  for (const auto& [name, end] : process.yardsticks_end) {
    const auto [at, is_new] = best.try_emplace(name, end);
    if (!is_new) at->second = std::max(at->second, end);
  }
  return best;
}

std::optional<Limit> limit_of(const BenchmarkName& name, const IterationWork& work,
                              const std::map<std::string, double>& yardsticks, const CacheLevels& caches) {
  constexpr double kGiga = 1e9;
  // Three quarters of a cache: the rest is for what else a process touches.
  constexpr double kHolds = 0.75;
  std::optional<Limit> limit;
  const auto consider = [&](Bound bound, const std::string& yardstick, std::string_view where, double seconds) {
    // The roof that takes longer is the one that limits.
    if (std::isfinite(seconds) && (!limit || seconds > limit->seconds)) {
      limit = Limit{seconds, bound, yardstick, std::string(where)};
    }
  };
  // A product of two bf16 is exact in f32, so that the faster of both peaks is the limit.
  auto fma = yardsticks.find(fmt::format("fma_{}_gflops", name.type));
  if (const auto wide = yardsticks.find("fma_f32_gflops"); name.type == "bf16" && wide != yardsticks.end())
    if (fma == yardsticks.end() || wide->second > fma->second) fma = wide;
  if (fma != yardsticks.end() && work.flops > 0 && fma->second > 0)
    consider(Bound::compute, fma->first, "compute", work.flops / (fma->second * kGiga * name.threads));
  if (work.bytes > 0 && caches.l1 > 0 && caches.l2 > 0) {
    const double share = work.working_set_bytes / name.threads;  // private caches hold their thread's part
    const bool is_private = share <= kHolds * caches.l2;
    const Level level = share <= kHolds * caches.l1                                     ? kL1
                        : is_private                                                    ? kL2
                        : caches.l3 > 0 && work.working_set_bytes <= kHolds * caches.l3 ? kL3
                                                                                        : kMemory;
    // A private cache gives each thread its whole rate; what threads share has yardsticks of as many threads.
    const bool is_shared = !is_private && name.threads > 1;
    const std::string suffix = is_shared ? fmt::format("/threads:{}", name.threads) : "";
    std::string best;
    double fastest = 0;
    const bool reads = only_reads(name);
    for (const std::string_view kind : {"read", "copy", "triad", "stream_copy"}) {
      if (reads && kind != "read") continue;
      const std::string yardstick = fmt::format("{}_{}_gbs{}", kind, level.key, suffix);
      const auto roof = yardsticks.find(yardstick);
      if (roof == yardsticks.end() || roof->second <= fastest) continue;
      fastest = roof->second;
      best = yardstick;
    }
    if (!best.empty()) {
      const double rate = fastest * (is_shared ? 1 : name.threads);
      consider(Bound::memory, best, level.word, work.bytes / (rate * kGiga));
    }
  }
  return limit;
}

}  // namespace pawl::show
