// matrix_market.cpp -- Matrix Market text to triplets, line by line, and CSR to such text.
#include "pawl/sparse/matrix_market.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "pawl/sparse/array.hpp"
#include "plain_entry.hpp"
#include "refuse.hpp"

#if defined(__unix__)
#include <fcntl.h>
#include <unistd.h>
#endif

namespace pawl::sparse {

MatrixMarketError::MatrixMarketError(const std::string& name, std::size_t line, const std::string& what)
    : std::runtime_error(line == 0 ? name + ": " + what : name + ':' + std::to_string(line) + ": " + what),
      line_(line) {}

namespace {

enum class Field { real, pattern };
enum class Symmetry { general, symmetric, skew };

// What is safe to show of a file in one line of a message.
std::string shown(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
  return "'" + out + (text.size() > 40 ? "...'" : "'");
}

// The text by lines that say something, and the words of the current one.
// Whether a decimal number is less than 1 in magnitude, however long or small it is.
bool below_one(std::string_view text) {
  if (text.front() == '-') text.remove_prefix(1);
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = std::min(digits.find_first_not_of("0."), digits.size());
  // 10^magnitude is the least power of ten above the digits.
  const auto magnitude = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + (first > point ? 1 : 0);
  std::int64_t exponent = 0;
  if (e < text.size()) {
    const char* begin = text.data() + e + 1;
    if (*begin == '+') ++begin;
    if (std::from_chars(begin, text.data() + text.size(), exponent).ec == std::errc::result_out_of_range)
      return *begin == '-';
  }
  return exponent <= -magnitude;
}

class Lines {
 public:
  Lines(std::string_view text, const std::string& name)
      : text_(text), plain_end_(text.data() + plain_part(text).size()), name_(name) {}

  [[noreturn, gnu::cold]] void fail(const std::string& what) const { throw MatrixMarketError(name_, number_, what); }

  bool next() {
    while (!text_.empty()) {
      const std::size_t end = text_.find('\n');
      line_ = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      ++number_;
      skip_blanks();
      if (line_.empty() || (line_.front() == '%' && number_ > 1)) continue;
      return true;
    }
    return false;
  }
  bool at_end() {
    skip_blanks();
    return line_.empty();
  }
  std::string_view word() {
    skip_blanks();
    std::size_t n = 0;
    while (n < line_.size() && !blank(line_[n])) ++n;
    const std::string_view found = line_.substr(0, n);
    line_.remove_prefix(n);
    return found;
  }
  std::size_t whole(const char* what) {
    const std::string_view text = word();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty()) fail(std::string("no ") + what);
    if (error != std::errc() || end != text.data() + text.size())
      fail(std::string(what) + ' ' + shown(text) + " is not a whole number from 0 to 2^64 - 1");
    return value;
  }
  template <class T>
  T number() {
    const std::string_view text = word();
    if (text.empty()) fail("no value");
    const char* begin = text.data();
    const char* const last = begin + text.size();
    if (*begin == '+' && text.size() > 1 && text[1] != '-' && text[1] != '+') ++begin;
    T value{};
    const auto [end, error] = std::from_chars(begin, last, value);
    if (error == std::errc::result_out_of_range && end == last) {
      // Too small is rounded to zero or a denormal by whoever wrote the file as well; too large is not a number here.
      double wide = 0;
      const auto again = std::from_chars(begin, last, wide);
      if (again.ec == std::errc() && wide > -1 && wide < 1) return static_cast<T>(wide);
      if (again.ec == std::errc::result_out_of_range && below_one({begin, last})) return *begin == '-' ? -T(0) : T(0);
      fail("value " + shown(text) + " is beyond the range of the type");
    }
    if (error != std::errc() || end != last) fail("value " + shown(text) + " is not a number");
    return value;
  }
  void end_of_line() {
    if (!at_end()) fail("unexpected " + shown(line_) + " at the end of the line");
  }
  // The next line as an entry if it is written plainly and `good`; else nothing is read.
  template <class T, class Good>
  bool plain(bool has_value, PlainEntry<T>& entry, Good good) {
    if (text_.data() >= plain_end_) return false;
    const char* const next = plain_entry(text_.data(), has_value, entry);
    if (next == nullptr || !good(entry)) return false;
    text_.remove_prefix(static_cast<std::size_t>(next - text_.data()));
    ++number_;
    return true;
  }
  // An upper bound of the lines left: each has at least `least` characters.
  std::size_t most_lines_left(std::size_t least) const { return text_.size() / least + 1; }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (!line_.empty() && blank(line_.front())) line_.remove_prefix(1);
  }
  std::string_view text_, line_;
  const char* plain_end_;
  const std::string& name_;
  std::size_t number_ = 0;
};

bool same_word(std::string_view a, std::string_view lower) {
  if (a.size() != lower.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if ((a[i] >= 'A' && a[i] <= 'Z' ? static_cast<char>(a[i] + 32) : a[i]) != lower[i]) return false;
  return true;
}

template <class E>
Array<E> grown(const Array<E>& array, std::size_t kept, std::size_t room) {
  Array<E> larger(room);
  std::copy_n(array.data(), kept, larger.data());
  return larger;
}

// What is read, in memory that grows when it must.
template <class T, class I>
class Triplets {
 public:
  std::size_t size() const { return n_; }
  Coo<T, I> of(std::size_t rows, std::size_t cols) const {
    return {rows, cols, {rows_.data(), n_}, {columns_.data(), n_}, {values_.data(), n_}};
  }
  void reserve(std::size_t room) {
    rows_ = grown(rows_, n_, room);
    columns_ = grown(columns_, n_, room);
    values_ = grown(values_, n_, room);
  }
  void add(std::size_t row, std::size_t column, T value) {
    if (n_ == values_.size()) reserve(n_ + n_ / 2 + 64);
    rows_[n_] = static_cast<I>(row);
    columns_[n_] = static_cast<I>(column);
    values_[n_++] = value;
  }

 private:
  Array<I> rows_, columns_;
  Array<T> values_;
  std::size_t n_ = 0;
};

}  // namespace

template <class T, class I>
Csr<T, I> parse_matrix_market(std::string_view text, const std::string& name) {
  Lines lines(text, name);
  if (!lines.next() || lines.word() != "%%MatrixMarket")
    throw MatrixMarketError(name, 1, "does not begin with %%MatrixMarket");
  if (const auto object = lines.word(); !same_word(object, "matrix"))
    lines.fail("object " + shown(object) + ", expected 'matrix'");
  const auto format = lines.word();
  const bool array = same_word(format, "array");
  if (!array && !same_word(format, "coordinate"))
    lines.fail("format " + shown(format) + ", expected 'coordinate' or 'array'");
  const auto field_word = lines.word();
  const Field field = same_word(field_word, "pattern") ? Field::pattern : Field::real;
  if (field == Field::real && !same_word(field_word, "real") && !same_word(field_word, "integer") &&
      !same_word(field_word, "double"))
    lines.fail("field " + shown(field_word) + ", expected 'real', 'integer' or 'pattern'");
  if (array && field == Field::pattern) lines.fail("an array file has no pattern");
  const auto symmetry_word = lines.word();
  const Symmetry symmetry = same_word(symmetry_word, "symmetric")        ? Symmetry::symmetric
                            : same_word(symmetry_word, "skew-symmetric") ? Symmetry::skew
                                                                         : Symmetry::general;
  if (symmetry == Symmetry::general && !same_word(symmetry_word, "general"))
    lines.fail("symmetry " + shown(symmetry_word) + ", expected 'general', 'symmetric' or 'skew-symmetric'");
  lines.end_of_line();

  if (!lines.next()) lines.fail("ends before the line of sizes");
  const std::size_t rows = lines.whole("number of rows"), cols = lines.whole("number of columns");
  if (!fits<I>(rows) || !fits<I>(cols))
    lines.fail("sizes " + std::to_string(rows) + " x " + std::to_string(cols) + " are more than " +
               std::to_string(8 * sizeof(I)) + "-bit indices can hold");
  if (symmetry != Symmetry::general && rows != cols) lines.fail("a symmetric matrix must be square");

  Triplets<T, I> triplets;
  const auto add = [&](std::size_t row, std::size_t column, T value) {
    triplets.add(row, column, value);
    if (symmetry != Symmetry::general && row != column)
      triplets.add(column, row, symmetry == Symmetry::skew ? -value : value);
  };
  if (array) {
    lines.end_of_line();
    for (std::size_t c = 0; rows > 0 && c < cols; ++c) {
      const std::size_t first = symmetry == Symmetry::general ? 0 : symmetry == Symmetry::skew ? c + 1 : c;
      for (std::size_t r = first; r < rows; ++r) {
        if (!lines.next())
          lines.fail("ends before the value of row " + std::to_string(r + 1) + ", column " + std::to_string(c + 1));
        const T value = lines.template number<T>();
        lines.end_of_line();
        if (value != T(0)) add(r, c, value);
      }
    }
    if (lines.next()) lines.fail("more values than the matrix has elements");
  } else {
    const std::size_t entries = lines.whole("number of entries");
    lines.end_of_line();
    const std::size_t room = std::min(entries, lines.most_lines_left(3)) * (symmetry == Symmetry::general ? 1 : 2);
    triplets.reserve(room);
    // The first row of a column's part that a file may name.
    const auto first_row = [&](std::size_t column) {
      return symmetry == Symmetry::general ? 1 : symmetry == Symmetry::skew ? column + 1 : column;
    };
    const auto good = [&](const PlainEntry<T>& e) {
      return e.row - 1 < rows && e.column - 1 < cols && e.row >= first_row(e.column);
    };
    PlainEntry<T> plain;
    for (std::size_t k = 0; k < entries; ++k) {
      if (lines.plain(field == Field::real, plain, good)) {
        add(plain.row - 1, plain.column - 1, plain.value);
        continue;
      }
      if (!lines.next()) lines.fail("ends after " + std::to_string(k) + " of " + std::to_string(entries) + " entries");
      const std::size_t row = lines.whole("row"), column = lines.whole("column");
      if (row < 1 || row > rows) lines.fail("row " + std::to_string(row) + " is not from 1 to " + std::to_string(rows));
      if (column < 1 || column > cols)
        lines.fail("column " + std::to_string(column) + " is not from 1 to " + std::to_string(cols));
      if (row < first_row(column))
        lines.fail("row " + std::to_string(row) + ", column " + std::to_string(column) +
                   " is not below the diagonal, where a symmetric file keeps its entries");
      const T value = field == Field::pattern ? T(1) : lines.template number<T>();
      lines.end_of_line();
      add(row - 1, column - 1, value);
    }
    if (lines.next()) lines.fail("more than the announced " + std::to_string(entries) + " entries");
  }
  if (!fits<I>(triplets.size()))
    lines.fail("more entries than " + std::to_string(8 * sizeof(I)) + "-bit indices can hold");
  return to_csr(triplets.of(rows, cols));
}

template <class T, class I>
Csr<T, I> read_matrix_market(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw MatrixMarketError(path.string(), 0, std::string("cannot be opened: ") + std::strerror(errno));
  // One more than the size that the file seems to have, which pipes have not and which may have changed.
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  constexpr std::size_t kFirstRead = std::size_t{1} << 16;
  std::size_t n = 0;
  Array<char> text;
  for (std::size_t room = unknown ? kFirstRead : static_cast<std::size_t>(size) + 1; file; room = 2 * n + kFirstRead) {
    text = grown(text, n, room);
    file.read(text.data() + n, static_cast<std::streamsize>(room - n));
    n += static_cast<std::size_t>(file.gcount());
  }
  if (file.bad())
    throw MatrixMarketError(path.string(), 0, std::string("cannot be read to its end: ") + std::strerror(errno));
  return parse_matrix_market<T, I>({text.data(), n}, path.string());
}

template <class T, class I>
std::string to_matrix_market(const Csr<T, I>& a) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  char buffer[64];
  const auto put = [&](auto value, char after) {
    text.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    text += after;
  };
  put(a.rows(), ' ');
  put(a.cols(), ' ');
  put(a.nonzeros(), '\n');
  for (std::size_t r = 0; r < a.rows(); ++r)
    for (auto k = static_cast<std::size_t>(a.row_start()[r]); k < static_cast<std::size_t>(a.row_start()[r + 1]); ++k) {
      put(r + 1, ' ');
      put(static_cast<std::size_t>(a.columns()[k]) + 1, ' ');
      put(a.values()[k], '\n');
    }
  return text;
}

template <class T, class I>
void write_matrix_market(const Csr<T, I>& a, const std::filesystem::path& path) {
  const std::string text = to_matrix_market(a);
  std::filesystem::path temporary = path;
  temporary += ".writing";
  const auto fail = [&](const char* what) {
    const std::string reason = std::strerror(errno);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw std::runtime_error(path.string() + ": " + what + ": " + reason);
  };
  {
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    if (!file) fail("cannot be created");
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) fail("cannot be written");
  }
#if defined(__unix__)
  const int descriptor = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::fsync(descriptor) != 0) {
    if (descriptor >= 0) ::close(descriptor);
    fail("cannot be flushed to the disk");
  }
  ::close(descriptor);
#endif
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) {
    errno = error.value();
    fail("cannot take its name");
  }
}

#define PAWL_INSTANTIATE(T, I)                                                        \
  template Csr<T, I> parse_matrix_market<T, I>(std::string_view, const std::string&); \
  template Csr<T, I> read_matrix_market<T, I>(const std::filesystem::path&);          \
  template std::string to_matrix_market(const Csr<T, I>&);                            \
  template void write_matrix_market(const Csr<T, I>&, const std::filesystem::path&);
PAWL_FOR_EACH_SPARSE_TYPE(PAWL_INSTANTIATE)

}  // namespace pawl::sparse
