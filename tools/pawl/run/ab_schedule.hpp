// ab_schedule.hpp -- what is known after each batch of interleaved runs -> what to measure next, or that it is enough.
//
// Pure. Three stages: screening (every benchmark, a few pairs), deciding (only those that the pairs so far cannot tell,
// as long as there is time), confirming (only those that look like regressions, in a new and independent set of pairs).
// Looking again and again until something shows raises the chance of a false alarm; the confirmation, which is judged
// without the pairs that raised the suspicion, brings it down again.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace pawl::run {

enum class Stage { screening, deciding, confirming };

/// One benchmark: the index of its executable, and its name.
struct Row {
  std::size_t executable = 0;
  std::string name;

  friend bool operator==(const Row&, const Row&) = default;
  friend bool operator<(const Row& a, const Row& b) {
    return std::tie(a.executable, a.name) < std::tie(b.executable, b.name);
  }
};

/// A row that the pairs so far cannot tell.
struct Undecided {
  Row row;
  std::size_t more_pairs = 0;  ///< about how many would settle it; 0 if not known
};

/// What measuring takes, by executable: a pair of process runs takes base_s plus row_s for each row in it.
struct Cost {
  std::vector<double> base_s, row_s;

  double of_pair(const std::vector<Row>& rows) const;  ///< one pair for each executable that has one of these rows
};

struct Rules {
  int pairs = 5;                     ///< of the screening, and of a confirmation
  bool until_decided = false;        ///< go on with what is undecided
  std::optional<double> max_time_s;  ///< for screening and deciding; a confirmation may run over it
  bool confirm = true;
  int most_pairs = 40;  ///< of one row: what that many cannot tell stays INCONCLUSIVE
};

/// What is known after `stage` has had `pairs` pairs in its set (deciding continues the set of screening).
struct Known {
  Stage stage = Stage::screening;
  int pairs = 0;
  std::vector<Undecided> undecided;  ///< in the set of this stage
  std::vector<Row> suspected;        ///< look like a regression in the set of this stage
  Cost cost;
  std::vector<Row> rows;  ///< all there are
  double spent_s = 0;
};

struct Batch {
  Stage stage = Stage::screening;
  int pairs = 0;
  std::vector<Row> rows;  ///< empty: all
  std::string why;        ///< one line for the log
};

/// The next batch; nothing when all is settled or the time is up. Begins with one pair of everything, which shows what
/// a pair takes.
std::optional<Batch> next_batch(const Known& known, const Rules& rules);

}  // namespace pawl::run
