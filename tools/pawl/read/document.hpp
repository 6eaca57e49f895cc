// document.hpp -- one JSON document of Google Benchmark -> a ResultSet of one process.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/results.hpp"
#include "read/oddities.hpp"
#include "read/repetitions.hpp"
#include "read/row.hpp"
#include "read/scanner.hpp"

namespace pawl::read {

class Document {
 public:
  Document(Scanner& scanner, Oddities& oddities);

  /// The scanner stands at the document's '{' and is then behind its '}'. Throws Broken; what was complete before it
  /// can still be taken.
  void read();

  std::size_t offset() const { return offset_; }
  std::size_t rows() const { return repetitions_.rows(); }
  /// Why this is not a document of results; empty if it is one.
  std::string not_results() const;
  /// Something of the library's format was seen, so that a break means damaged results.
  bool is_google_benchmark() const { return has_context_ || has_benchmarks_; }
  /// Where the scanner is, in words: 'inside benchmark "BM_Read/8"'.
  std::string where() const;

  /// Everything that was read. Call once.
  model::ResultSet take(const std::string& file);

 private:
  void read_rows();
  void read_element();
  void pass_over_line();

  Scanner& scanner_;
  Oddities& oddities_;
  RowReader row_reader_;
  Repetitions repetitions_;
  model::Process process_;
  std::size_t offset_ = 0;
  bool has_context_ = false, has_benchmarks_ = false, in_row_ = false;
  std::string inside_;  ///< the top-level key whose value is being read
  std::vector<std::string> other_keys_;
};

}  // namespace pawl::read
