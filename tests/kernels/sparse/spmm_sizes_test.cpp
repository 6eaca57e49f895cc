// spmm_sizes_test.cpp -- rows of a product with a dense matrix: the same however large the matrices are said to be.
#include <gmock/gmock.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/tables.hpp"
#include "pawl/isa.hpp"

namespace pawl::sparse {
namespace {

using ::testing::ElementsAreArray;

template <class T>
void check(const SparseOps<T, std::int32_t>& ops) {
  constexpr std::size_t kRows = 23, kCols = 19, kLine = 64 / sizeof(T);
  constexpr T kUntouched = T(-77);
  std::vector<std::int32_t> start = {0}, columns;
  std::vector<T> values;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t c = r % 3; r % 5 != 4 && c < kCols; c += 1 + r % 4) {  // every fifth row is empty
      columns.push_back(static_cast<std::int32_t>(c));
      values.push_back(static_cast<T>(columns.size() % 7) - 3);
    }
    start.push_back(static_cast<std::int32_t>(columns.size()));
  }
  for (const std::size_t width : {std::size_t{5}, kLine, 3 * kLine, 4 * kLine, 15 * kLine})
    for (const std::size_t ldc : {width, width + 1, width + kLine})
      for (const std::size_t from : {std::size_t{0}, std::size_t{1}}) {  // whole lines and not
        std::vector<T> b(kCols * width), want(kRows * ldc, kUntouched);
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i % 11) - 5;
        for (std::size_t r = 0; r < kRows; ++r)
          for (std::size_t j = 0; j < width; ++j) {
            T sum = 0;  // small integers: exact in any order
            for (auto k = static_cast<std::size_t>(start[r]); k < static_cast<std::size_t>(start[r + 1]); ++k)
              sum += values[k] * b[static_cast<std::size_t>(columns[k]) * width + j];
            want[r * ldc + j] = sum;
          }
        for (const DenseSize size : {DenseSize::in_l2, DenseSize::in_l3, DenseSize::beyond_caches}) {
          SCOPED_TRACE(::testing::Message() << "width=" << width << " ldc=" << ldc << " from=" << from
                                            << " size=" << static_cast<int>(size));
          std::vector<T> memory(kRows * ldc + 2 * kLine, kUntouched);
          void* aligned = memory.data();
          std::size_t room = memory.size() * sizeof(T);
          T* const c = static_cast<T*>(std::align(64, kRows * ldc * sizeof(T), aligned, room)) + from;
          ops.csr_panel(start.data(), columns.data(), values.data(), b.data(), width, c, ldc, width, 0, kRows, size);
          ASSERT_THAT(std::vector<T>(c, c + kRows * ldc), ElementsAreArray(want));
        }
      }
}

TEST(SpmmSizes, GiveTheSame) {
  for (const Isa isa : runnable_isas()) {
    SCOPED_TRACE(name(isa));
    check(sparse_table(isa).f32_i32);
    check(sparse_table(isa).f64_i32);
  }
}

}  // namespace
}  // namespace pawl::sparse
