// runs_seen.hpp -- results that were read one after the other -> whether one of them holds process runs of an earlier
// one.
#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "model/results.hpp"

namespace pawl {

struct SeenRuns {
  std::size_t count = 0;  ///< process runs of this set that an earlier one has too
  std::string first_in;   ///< the earlier one that has the first of them
};

/// Two process runs are one if executable, start and all numbers are the same. One of unknown start is not recognised.
class RunsSeen {
 public:
  /// `name`: what later ones are told of this set.
  SeenRuns add(const model::ResultSet& set, const std::string& name);

 private:
  std::map<std::string, std::string> names_;  ///< by what tells a process run from others
};

}  // namespace pawl
