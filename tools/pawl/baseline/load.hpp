// load.hpp -- an argument that a person typed (file, directory, saved baseline, -) -> the ResultSet it means.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "baseline/store.hpp"
#include "failure.hpp"
#include "model/results.hpp"

namespace pawl::baseline {

/// There is no baseline of that name: what --lenient forgives. Exit code kNothingToCompare.
struct NoBaseline : Failure {
  explicit NoBaseline(std::string text) : Failure(kNothingToCompare, std::move(text)) {}
};

struct Loaded {
  model::ResultSet set;
  std::optional<Entry> entry;  ///< set if it is a saved baseline
};

/// Resolves `argument` in this order: "-" is standard input; a file (Google Benchmark's or results.json, gzip or a pipe
/// too); a directory (its results.json if pawl wrote it, else all the files in it); a baseline saved in `store`, NAME
/// or MACHINE/NAME. A path is never taken for a baseline: what exists wins, and the set notes it if a baseline has the
/// same name.
///
/// Errors  NoBaseline; Failure(kBadInput) for a path that does not exist or can't be read; each is one line that says
///         what was probably meant.
Loaded load(const std::string& argument, const Store& store, std::string_view machine_key);

/// Arguments of which one may be no results, as a shell makes of results/*.
struct Arguments {
  std::vector<std::string> taken;
  std::vector<std::string> left_out;  ///< directories without any JSON file in them or below, as results/profiles
};

/// Leaves out nothing if nothing would be taken: then it was meant, and load() says what is wrong.
Arguments choose_arguments(const std::vector<std::string>& arguments);

}  // namespace pawl::baseline
