// row.hpp -- one object of the "benchmarks" list -> a Row, times in seconds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/results.hpp"
#include "read/oddities.hpp"
#include "read/scanner.hpp"

namespace pawl::read {

/// What Google Benchmark writes about one repetition, or about an aggregate of several. Views live until the next row.
struct Row {
  enum class Type : std::uint8_t { untyped, iteration, aggregate };
  struct Counter {
    model::Interned metric;
    double value;
  };

  std::size_t offset = 0;     ///< of its '{'
  std::string_view name;      ///< with an aggregate's suffix; empty if the row has none
  std::string_view run_name;  ///< `name` where the file has none (library before 1.5)
  std::string_view label, message, aggregate_name, time_unit;
  Type type = Type::untyped;
  bool failed = false, skipped = false;
  bool fit = false;                           ///< BigO or RMS: fitted over sizes, not measured
  bool has_numbers = false;                   ///< the file gives it a time or a counter, usable or not
  std::optional<double> real_time, cpu_time;  ///< seconds; fractions in an aggregate that is a percentage
  std::vector<Counter> counters;              ///< in the file's order
  std::optional<std::uint64_t> iterations;
  std::int64_t family_index = -1, instance_index = -1;  ///< -1 if the file does not say
  std::int64_t repetitions = -1, repetition_index = -1, threads = -1;
};

/// Reads rows one after another. Rows of a file mostly have the same keys in the same order, so what a key means is
/// found by looking at the key that followed the previous one last time.
class RowReader {
 public:
  RowReader(Scanner& scanner, Oddities& oddities);

  /// The scanner stands at the row's '{'. Throws Broken; then row().name says how far it came.
  const Row& read();
  const Row& row() const { return row_; }

  /// A benchmark has a few counters; the limit keeps the time to match them linear in hostile files.
  static constexpr std::size_t kMaxCounters = 1000;

 private:
  /// What keys mean to the library; every other key is a counter.
  enum class Field : std::uint8_t {
    name,
    run_name,
    run_type,
    label,
    time_unit,
    aggregate_name,
    aggregate_unit,
    error_message,
    skip_message,
    big_o,  // the last that is text
    error_occurred,
    skipped,  // the last that is a boolean
    family_index,
    instance_index,
    repetitions,
    repetition_index,
    threads,
    iterations,
    real_time,
    cpu_time,  // the last number that is the library's own
    counter
  };
  struct Key {
    std::string text;
    Field field = Field::counter;
    model::Interned metric;
    std::uint64_t seen_in = 0;        ///< the last row that had it
    unsigned texts = 0, numbers = 0;  ///< how often that row gave it a text, a number
    Key* next = nullptr;              ///< the key that followed it last time
  };

  Key& find_key(std::string_view text);
  void member(Key& key);
  void take_text(Key& key, std::string_view text);
  void take_quoted(Key& key, std::string_view text);
  void take_number(Key& key, double value);
  void take_repeated(const Key& key, double value);
  void add_counter(model::Interned metric, double value);
  void take_integer(const Key& key, double value, std::int64_t* field);
  std::string_view keep(std::string_view text, std::string& backing) const;
  void finish();
  void finish_times();
  void note(std::string_view what) { add(Oddities::Severity::note, what); }
  void warn(std::string_view what) { add(Oddities::Severity::warning, what); }
  void add(Oddities::Severity severity, std::string_view what);

  Scanner& scanner_;
  Oddities& oddities_;
  Row row_;
  std::uint64_t rows_ = 0;
  std::deque<Key> keys_;  // a deque: the index and `next` point at its elements
  std::unordered_map<std::string_view, Key*> key_index_;
  Key start_;  // stands before a row's first key
  Key* previous_key_ = &start_;
  std::string key_scratch_, value_scratch_;
  std::string name_, run_name_, label_, message_, aggregate_name_, time_unit_;  // behind the row's views
  bool percentage_ = false, has_big_o_ = false, has_rms_ = false;
};

/// How many of Google Benchmark's time unit (ns us ms s) make a second; 0 if it is none of them.
double units_per_second(std::string_view unit);

}  // namespace pawl::read
