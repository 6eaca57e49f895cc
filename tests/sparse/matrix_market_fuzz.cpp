// matrix_market_fuzz.cpp -- libFuzzer's entry: any bytes as a Matrix Market text (clang++, -DPAWL_FUZZ=ON).
//
// What the parser takes must keep the promises of a matrix and be read back the same from what is written of it; what
// it does not take must end in its own error. matrix_market_test damages texts without libFuzzer, with any compiler.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "pawl/sparse/matrix_market.hpp"

namespace {

using pawl::sparse::Csr;

// Row pointers are the one thing that a short text can ask much memory for: numbers of more than 6 digits are left out.
bool asks_for_much(std::string_view text) {
  std::size_t digits = 0;
  for (char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 6) return true;
  }
  return false;
}

bool same_bytes(auto a, auto b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

void check(std::string_view text) {
  try {
    const auto a = pawl::sparse::parse_matrix_market<double>(text);
    const Csr<double> promises(a.rows(), a.cols(), a.row_start(), a.columns(), a.values());
    const auto again = pawl::sparse::parse_matrix_market<double>(pawl::sparse::to_matrix_market(a));
    if (again.rows() != a.rows() || again.cols() != a.cols() || !same_bytes(again.row_start(), a.row_start()) ||
        !same_bytes(again.columns(), a.columns()))
      std::abort();
    for (std::size_t k = 0; k < a.nonzeros(); ++k)
      if (!(again.values()[k] == a.values()[k]) && a.values()[k] == a.values()[k]) std::abort();
  } catch (const pawl::sparse::MatrixMarketError&) {
    return;
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  if (!asks_for_much(text)) check(text);
  return 0;
}
