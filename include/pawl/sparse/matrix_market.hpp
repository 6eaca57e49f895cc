// matrix_market.hpp -- sparse matrices from and to Matrix Market files.
//
// Format: Boisvert, Pozo and Remington, "The Matrix Market exchange formats: initial design", NISTIR 5935 (1996). Read:
// `matrix coordinate` and `matrix array` with real, integer or pattern values; general, symmetric or skew-symmetric.
// Complex and hermitian files are refused by name.
#pragma once
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pawl/sparse.hpp"

namespace pawl::sparse {

/// A file that is not what it says: "matrix.mtx:17: row 12 of 10". Line 0: the file as a whole.
class MatrixMarketError : public std::runtime_error {
 public:
  MatrixMarketError(const std::string& name, std::size_t line, const std::string& what);
  std::size_t line() const noexcept { return line_; }

 private:
  std::size_t line_;
};

/// The matrix of the text of a file. Entries below a symmetric matrix' diagonal get their mirror image; duplicates are
/// added; a pattern's values are 1; in `array` files zeros are no entries. `name` is what messages call the text.
///
/// Values are rounded to T once (to the nearest, as by std::from_chars); one that is beyond T's range is an error.
/// Cost       one pass; memory for the triplets and the result. No more is allocated than the text's length calls for,
///            whatever sizes it announces, except the row pointers.
/// Errors     MatrixMarketError with the line: header, sizes, indices out of range, values, too few or too many
///            entries, entries above the diagonal of a symmetric matrix, sizes beyond I.
template <class T, class I = std::int32_t>
Csr<T, I> parse_matrix_market(std::string_view text, const std::string& name = "text");

/// parse_matrix_market of a file. Errors: MatrixMarketError, also if the file cannot be read.
template <class T, class I = std::int32_t>
Csr<T, I> read_matrix_market(const std::filesystem::path& path);

/// `matrix coordinate real general` with values that read back to the same bits (shortest form).
/// NaN and infinities are written as nan, inf and -inf, which read_matrix_market takes and not every reader.
template <class T, class I>
std::string to_matrix_market(const Csr<T, I>& a);

/// Writes to a temporary file beside `path`, which then takes its name: a failure leaves what was there.
/// Errors     std::runtime_error with the path and the system's reason.
template <class T, class I>
void write_matrix_market(const Csr<T, I>& a, const std::filesystem::path& path);

}  // namespace pawl::sparse
