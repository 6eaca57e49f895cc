// products.hpp -- whether a product of a sparse matrix with a vector keeps the documented bound, on all patterns.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <span>

#include "kernels/guarded_array.hpp"
#include "pawl/isa.hpp"
#include "sparse/patterns.hpp"

namespace pawl::testing {

// The documented bound n u sum |value x|, and one more u for the rounding of the result itself.
template <class T>
void expect_within_bound(T got, const reference::RowSum& want, std::size_t row) {
  const long double u = std::numeric_limits<T>::epsilon() / 2.0L;
  if (std::isfinite(want.magnitude)) {
    ASSERT_LE(std::fabs(static_cast<long double>(got) - want.sum),
              static_cast<long double>(want.entries + 1) * u * want.magnitude)
        << "row " << row;
  } else {
    ASSERT_FALSE(std::isfinite(got)) << "row " << row;
  }
}

// Matrices of more than `most` entries are left out.
template <class T, class I, class Product>
void check_products(bool transposed, Product product, std::size_t most = std::size_t(-1)) {
  for (const auto& p : patterns<T, I>()) {
    if (p.values.size() > most) continue;
    const auto a = csr_of(p);
    const std::size_t inputs = transposed ? p.rows : p.cols, outputs = transposed ? p.cols : p.rows;
    std::vector<reference::RowSum> want;
    for (Isa isa : runnable_isas())
      for (int threads : {1, 3}) {
        SCOPED_TRACE(::testing::Message()
                     << p.name << ' ' << p.rows << " x " << p.cols << ' ' << name(isa) << " threads=" << threads);
        const ScopedIsa scope(isa);
        const ScopedThreads scoped_threads(threads);
        GuardedArray<T> x(inputs, 1), y(outputs, 3);
        x.fill(p.rows + 7);
        product(a, std::span<const T>(x.data(), inputs), std::span<T>(y.data(), outputs));
        ASSERT_TRUE(y.untouched());
        if (want.empty()) want = reference::spmv(p.map(), outputs, x, transposed);  // x is the same each time
        for (std::size_t r = 0; r < outputs; ++r) {
          expect_within_bound(y[r], want[r], r);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
  }
}

}  // namespace pawl::testing
