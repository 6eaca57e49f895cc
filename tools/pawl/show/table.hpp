// table.hpp -- an Outcome -> the table that people read in a terminal or a log.
#pragma once
#include <string>

#include "show/outcome.hpp"
#include "show/terminal.hpp"

namespace pawl::show {

/// Rows by severity; stable ones are folded into a count, and so is what is more of the same among undecided, better
/// and new ones, unless outcome.all. What fails a build is never folded. Then notes, the verdict line and what to do.
/// Lines fit the terminal: names are shortened in the middle, remarks that find no room stand on a line of their own.
std::string format_table(const Outcome& outcome, const Terminal& terminal);

}  // namespace pawl::show
