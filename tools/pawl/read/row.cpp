// row.cpp -- see row.hpp.
#include "read/row.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace pawl::read {
namespace {

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53: doubles hold every integer up to here

bool plausible_index(double value) { return value >= 0 && value < kExactIntegers && value == std::floor(value); }

const char* word_for(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

}  // namespace

double units_per_second(std::string_view unit) {
  if (unit == "ns") return 1e9;
  if (unit == "us") return 1e6;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1;
  return 0;
}

RowReader::RowReader(Scanner& scanner, Oddities& oddities) : scanner_(scanner), oddities_(oddities) {
  const std::pair<const char*, Field> own[] = {
      {"name", Field::name},
      {"run_name", Field::run_name},
      {"run_type", Field::run_type},
      {"label", Field::label},
      {"time_unit", Field::time_unit},
      {"aggregate_name", Field::aggregate_name},
      {"aggregate_unit", Field::aggregate_unit},
      {"error_message", Field::error_message},
      {"skip_message", Field::skip_message},
      {"big_o", Field::big_o},
      {"error_occurred", Field::error_occurred},
      {"skipped", Field::skipped},
      {"family_index", Field::family_index},
      {"per_family_instance_index", Field::instance_index},
      {"repetitions", Field::repetitions},
      {"repetition_index", Field::repetition_index},
      {"threads", Field::threads},
      {"iterations", Field::iterations},
      {"real_time", Field::real_time},
      {"cpu_time", Field::cpu_time},
  };
  for (const auto& [text, field] : own) find_key(text).field = field;
}

void RowReader::add(Oddities::Severity severity, std::string_view what) {
  oddities_.add(severity, row_.offset, row_.run_name.empty() ? row_.name : row_.run_name, what);
}

RowReader::Key& RowReader::find_key(std::string_view text) {
  if (Key* expected = previous_key_->next; expected != nullptr && expected->text == text) return *expected;
  if (const auto found = key_index_.find(text); found != key_index_.end()) return *found->second;
  Key& key = keys_.emplace_back();
  key.text = text;
  key.metric = text;
  key_index_.emplace(key.text, &key);
  return key;
}

const Row& RowReader::read() {
  ++rows_;
  std::vector<Row::Counter> counters = std::move(row_.counters);
  counters.clear();
  row_ = Row{};
  row_.counters = std::move(counters);
  percentage_ = has_big_o_ = has_rms_ = false;
  previous_key_ = &start_;

  scanner_.expect('{', "before a row");
  row_.offset = scanner_.offset() - 1;
  if (!scanner_.take('}')) {
    bool stray_comma = false;
    do {
      Key& key = find_key(scanner_.key(key_scratch_));
      previous_key_->next = &key;
      previous_key_ = &key;
      if (key.seen_in != rows_) {
        key.seen_in = rows_;
        key.texts = key.numbers = 0;
      }
      member(key);
    } while (scanner_.more('}', &stray_comma));
    if (stray_comma) note("a comma stands before the row's closing brace");
  }
  finish();
  return row_;
}

void RowReader::member(Key& key) {
  const Kind kind = scanner_.kind();
  if (kind == Kind::object || kind == Kind::array) {
    scanner_.skip_value();
    note(fmt::format("\"{}\" holds an object or a list: left out", key.text));
    return;
  }
  const Scalar value = scanner_.scalar(value_scratch_);
  switch (value.kind) {
    case Kind::string:
      if (key.field <= Field::big_o)
        take_text(key, value.text);
      else
        take_quoted(key, value.text);
      return;
    case Kind::boolean:
      if (key.field == Field::error_occurred)
        row_.failed |= value.boolean;
      else if (key.field == Field::skipped)
        row_.skipped |= value.boolean;
      else
        note(fmt::format("\"{}\" is true or false: left out", key.text));
      return;
    case Kind::null:
      if (key.field >= Field::real_time) {
        warn(fmt::format("\"{}\" is null: taken as NaN", key.text));
        take_number(key, std::numeric_limits<double>::quiet_NaN());
      }
      return;
    default:
      take_number(key, value.number);
  }
}

void RowReader::take_quoted(Key& key, std::string_view text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  bool locale = false;
  const bool is_number = spelled_number(text, &value, &locale);
  if (is_number || key.field == Field::real_time || key.field == Field::cpu_time) {
    warn(fmt::format("\"{}\" is in quotes: taken as {}", key.text, is_number ? "the number that it spells" : "NaN"));
    take_number(key, value);
  } else {
    note(fmt::format("\"{}\" is text: left out", key.text));
  }
}

std::string_view RowReader::keep(std::string_view text, std::string& backing) const {
  if (text.data() != value_scratch_.data()) return text;  // stands in the file as it is
  return backing = text;
}

void RowReader::take_text(Key& key, std::string_view text) {
  if (++key.texts > 1) {
    warn(fmt::format("the key \"{}\" occurs {} times: the first one counts", key.text, key.texts));
    return;
  }
  switch (key.field) {
    case Field::name:
      row_.name = keep(text, name_);
      break;
    case Field::run_name:
      row_.run_name = keep(text, run_name_);
      break;
    case Field::run_type:
      if (text == "iteration")
        row_.type = Row::Type::iteration;
      else if (text == "aggregate")
        row_.type = Row::Type::aggregate;
      else
        warn("\"run_type\" is neither iteration nor aggregate: ignored");
      break;
    case Field::label:
      row_.label = keep(text, label_);
      break;
    case Field::time_unit:
      row_.time_unit = keep(text, time_unit_);
      break;
    case Field::aggregate_name:
      row_.aggregate_name = keep(text, aggregate_name_);
      break;
    case Field::aggregate_unit:
      percentage_ = text == "percentage";
      break;
    case Field::error_message:
    case Field::skip_message:
      if (row_.message.empty()) row_.message = keep(text, message_);
      break;
    case Field::big_o:
      has_big_o_ = true;
      break;
    default:
      break;
  }
}

void RowReader::take_number(Key& key, double value) {
  row_.has_numbers |= key.field >= Field::real_time;
  if (++key.numbers > 1) return take_repeated(key, value);
  switch (key.field) {
    case Field::family_index:
      return take_integer(key, value, &row_.family_index);
    case Field::instance_index:
      return take_integer(key, value, &row_.instance_index);
    case Field::repetitions:
      return take_integer(key, value, &row_.repetitions);
    case Field::repetition_index:
      return take_integer(key, value, &row_.repetition_index);
    case Field::threads:
      return take_integer(key, value, &row_.threads);
    case Field::iterations:
      if (value >= 0 && value < 18446744073709551616.0)  // 2^64
        row_.iterations = static_cast<std::uint64_t>(value);
      else
        warn("\"iterations\" is no count: ignored");
      return;
    case Field::real_time:
      row_.real_time = value;
      return;
    case Field::cpu_time:
      row_.cpu_time = value;
      return;
    default:  // a counter, also one that carries the name of one of the library's texts
      if (key.text == "rms") has_rms_ = true;
      add_counter(key.metric, value);
  }
}

// A user's counter with a name that the row has already; the library writes its own numbers first.
void RowReader::take_repeated(const Key& key, double value) {
  if (row_.counters.size() == kMaxCounters) return add_counter(key.metric, value);
  const unsigned times = key.numbers;
  for (unsigned number = times;; ++number) {
    Key& kept = find_key(fmt::format("{}#{}", key.text, number));
    if (kept.seen_in == rows_ && kept.numbers > 0) continue;  // the file has a counter of this very name
    if (kept.seen_in != rows_) kept.texts = 0;
    kept.seen_in = rows_;
    kept.numbers = 1;
    warn(fmt::format("the key \"{}\" occurs {} times: this one is kept as the counter \"{}\"", key.text, times,
                     kept.text));
    return add_counter(kept.metric, value);
  }
}

void RowReader::add_counter(model::Interned metric, double value) {
  if (row_.counters.size() < kMaxCounters)
    row_.counters.push_back({metric, value});
  else
    warn(fmt::format("a row has more than {} counters: the others are left out", kMaxCounters));
}

void RowReader::take_integer(const Key& key, double value, std::int64_t* field) {
  if (plausible_index(value))
    *field = static_cast<std::int64_t>(value);
  else
    warn(fmt::format("\"{}\" is no count: ignored", key.text));
}

void RowReader::finish() {
  if (row_.run_name.empty()) row_.run_name = row_.name;
  if (row_.name.empty()) row_.name = row_.run_name;
  if (const std::uint8_t repairs = scanner_.take_repairs(); repairs != 0) {
    if ((repairs & kControlCharacters) != 0) note("control characters are shown as their pictures");
    if ((repairs & kNotUtf8) != 0) note("bytes that are no UTF-8 are taken as Windows-1252 (Latin-1)");
    if ((repairs & kLocaleNumber) != 0) warn("a number is written under a locale, with commas: taken as that");
  }
  row_.fit = row_.type != Row::Type::iteration &&
             (row_.aggregate_name == "BigO" || row_.aggregate_name == "RMS" ||
              (!row_.real_time && !row_.cpu_time && (has_big_o_ || (has_rms_ && !row_.iterations))));
  if (row_.fit) return;
  if (row_.failed || row_.skipped) {
    // The library writes zeros here: they are no measurement.
    row_.real_time.reset();
    row_.cpu_time.reset();
    row_.counters.clear();
    return;
  }
  finish_times();
}

void RowReader::finish_times() {
  const bool spread = row_.type == Row::Type::aggregate && row_.aggregate_name != "mean" &&
                      row_.aggregate_name != "median" && !row_.aggregate_name.empty();
  const bool fraction = percentage_ || (row_.type == Row::Type::aggregate && row_.aggregate_name == "cv");
  if (!fraction && (row_.real_time || row_.cpu_time)) {
    double per_second = units_per_second(row_.time_unit);
    if (per_second == 0 && row_.time_unit.empty()) {
      warn("the row has no time_unit: taken as ns, the library's default");
      row_.time_unit = "ns";
      per_second = 1e9;
    }
    if (per_second == 0) {
      warn(fmt::format("the time unit is \"{}\", none of ns us ms s: the row's times are left out", row_.time_unit));
      row_.real_time.reset();
      row_.cpu_time.reset();
    }
    if (row_.real_time) *row_.real_time /= per_second;
    if (row_.cpu_time) *row_.cpu_time /= per_second;
  }
  if (spread) return;  // a stddev of 0 or a cv of NaN is nothing odd

  if (row_.real_time && !std::isfinite(*row_.real_time))
    warn(fmt::format("real_time is {}", word_for(*row_.real_time)));
  else if (row_.real_time && *row_.real_time <= 0)
    warn(*row_.real_time == 0 ? "real_time is 0" : "real_time is negative");
  if (row_.cpu_time && !std::isfinite(*row_.cpu_time))
    warn(fmt::format("cpu_time is {}", word_for(*row_.cpu_time)));
  else if (row_.cpu_time && *row_.cpu_time < 0)
    warn("cpu_time is negative");
  for (const Row::Counter& counter : row_.counters)
    if (!std::isfinite(counter.value))
      note(fmt::format("the counter \"{}\" is {}", counter.metric, word_for(counter.value)));
}

}  // namespace pawl::read
