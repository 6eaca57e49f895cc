// text.hpp -- text from files -> text that is safe in each place where people and programs read it.
//
// Names of benchmarks come from files that anybody wrote: a `|` must not add a column to a markdown table, an escape
// sequence must not reach a terminal, and a newline must not start a second GitHub annotation.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::show {

/// Bytes of the valid UTF-8 sequence at the start of `text` (no overlong form, no surrogate, at most U+10FFFF); 0 if
/// none.
std::size_t utf8_length(std::string_view text);

/// Columns that `text` takes in a terminal: 2 for wide East Asian characters and emoji, 0 for combining marks.
std::size_t display_width(std::string_view text);

/// One line for a terminal: control characters as their pictures (U+2400...), C1 controls and bidirectional overrides
/// and bytes that are no UTF-8 as U+FFFD.
std::string terminal_text(std::string_view text);

/// Cut in the middle to at most `columns`, with an ellipsis: both ends of a benchmark's name tell it from the others.
/// `text` is terminal_text already.
std::string shortened(std::string_view text, std::size_t columns);

std::string markdown_text(std::string_view text);  ///< inside a table cell: no markup, no pipe, no HTML, one line
std::string xml_text(std::string_view text);       ///< for XML and HTML, content and quoted attributes
/// The same, as a code span. In a table a pipe would end the cell even there; outside, its escape would show.
enum class CodeIn { table, text };
std::string markdown_code(std::string_view text, CodeIn where = CodeIn::table);

std::string csv_field(std::string_view text);        ///< RFC 4180; quoted where needed
std::string github_message(std::string_view text);   ///< of a workflow command: % CR LF
std::string github_property(std::string_view text);  ///< of a workflow command's property: also : and ,

}  // namespace pawl::show
