// repetitions.hpp -- the rows of one document -> its benchmarks: repetitions together, registrations apart.
//
// Rows of one run_name are repetitions of one benchmark as long as their repetition_index differs and their
// family_index, which the library gives to each registration, is the same. Whatever shares the name beyond that was
// registered twice, or merged into the file by someone: it is kept apart as "name#2", "name#3" in the order of
// registration, because two benchmarks must never be averaged.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/results.hpp"
#include "read/name_table.hpp"
#include "read/oddities.hpp"
#include "read/row.hpp"

namespace pawl::read {

class Repetitions {
 public:
  /// `text_size` is the length of the whole text, from which the number of rows to come is estimated.
  Repetitions(Oddities& oddities, std::size_t text_size) : oddities_(oddities), text_size_(text_size) {}

  void add(const Row& row);

  std::size_t rows() const { return rows_; }
  /// Rows that say how a benchmark went: a value, a failure or a skip.
  std::size_t rows_with_results() const { return rows_with_results_; }

  /// The benchmarks in the order of first appearance, each with one Reading of process 0. Call once. Without
  /// `memory_sizes_are_right` (see there) the sizes of all repetitions but the last are left out.
  std::vector<model::Benchmark> finish(bool memory_sizes_are_right);

  /// Median of real over CPU time of single-threaded rows, where it means a disturbance: not under manual or
  /// process-wide CPU time. Absent if there is none.
  std::optional<double> real_over_cpu();

 private:
  /// What is known about benchmarks_[i] beyond the model.
  struct Slot {
    std::size_t offset = 0;  ///< of its first row
    std::int64_t family = -1, instance = -1;
    std::uint32_t head = 0;      ///< the first slot of the same name
    std::uint32_t in_order = 0;  ///< repetition_index 0 to in_order - 1 came once each
    std::uint32_t good = 0, failed = 0, skipped = 0;
    bool measured = false;   ///< has iteration rows; aggregates then only repeat what they say
    bool untyped = false;    ///< its rows have no run_type
    bool irregular = false;  ///< some of its rows are in occurrences_
    bool one_thread = false;
    bool removed = false;
  };
  struct Occurrence {
    std::uint32_t slot;
    std::uint64_t what;  ///< a repetition_index, or an aggregate's name
    bool operator==(const Occurrence&) const = default;
  };
  struct OccurrenceHash {
    std::size_t operator()(const Occurrence& key) const noexcept;
  };
  struct Registration {
    std::uint32_t head;
    std::int64_t family, instance;
    bool operator==(const Registration&) const = default;
  };
  struct RegistrationHash {
    std::size_t operator()(const Registration& key) const noexcept;
  };

  std::uint32_t find_head(std::string_view name) const;
  std::uint32_t slot_of(const Row& row);
  std::uint32_t open_slot(const Row& row, std::uint32_t head);
  std::uint32_t slot_of_repetition(std::uint32_t slot, const Row& row);
  std::uint32_t next_free(std::uint32_t slot, std::uint64_t what, const Row& row, std::uint32_t already);
  void add_iteration(const Row& row, std::uint32_t slot);
  void add_aggregate(const Row& row, std::uint32_t slot);
  void add_value(std::vector<model::Series>& series, std::size_t expected_at, model::Interned metric, double value,
                 std::uint32_t slot);
  model::Reading& reading(std::uint32_t slot) { return benchmarks_[slot].readings.front(); }

  void settle_untyped();
  bool settle_untyped_aggregate(std::uint32_t slot, std::string_view base);
  void settle_names();
  void settle_reading(std::uint32_t slot);
  void settle_memory_sizes(std::uint32_t slot);
  void settle_aggregates(std::uint32_t slot);

  Oddities& oddities_;
  std::size_t text_size_;
  std::size_t rows_ = 0, rows_with_results_ = 0, fits_ = 0, fit_offset_ = 0, untyped_ = 0;
  std::uint32_t last_ = NameTable::kNone;
  std::vector<model::Benchmark> benchmarks_;
  std::vector<Slot> slots_;
  NameTable heads_;                                                                  // by name alone
  std::unordered_map<Registration, std::uint32_t, RegistrationHash> registrations_;  // that are not their name's head
  std::unordered_map<Occurrence, std::uint32_t, OccurrenceHash> occurrences_;        // how often so far
  std::unordered_map<Occurrence, std::uint32_t, OccurrenceHash> duplicates_;         // (slot, k) -> k-th duplicate
  std::vector<std::uint32_t> namesakes_;                                             // slots that are not heads
  std::vector<double> real_over_cpu_;
};

/// Whether `library_version` of the context, which may be empty, is one that reports memory sizes as they were. From
/// 1.6.2 to 1.9.1 the sizes of every repetition but the last are read from freed memory (its change #1941).
bool memory_sizes_are_right(std::string_view library_version);

}  // namespace pawl::read
