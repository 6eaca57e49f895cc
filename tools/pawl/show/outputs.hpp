// outputs.hpp -- --format and --output as they were typed -> which format goes where.
#pragma once
#include <string>
#include <vector>

#include "show/formats.hpp"

namespace pawl::show {

struct Output {
  Format format = Format::table;
  std::string file;  ///< empty: standard output
};

/// A format may say its file: --format markdown=pr.md. Each of `files` is FILE or FORMAT=FILE. A FILE goes to the
/// format that its suffix names if that one was asked for, else to the first format that has no file yet. Without
/// --format, files say their formats by their suffixes, and the table goes to standard output as ever. "-" is standard
/// output. Errors: Failure(kBadInput) for an unknown format, or for more files than formats.
std::vector<Output> plan_outputs(const std::vector<std::string>& formats, const std::vector<std::string>& files);

}  // namespace pawl::show
