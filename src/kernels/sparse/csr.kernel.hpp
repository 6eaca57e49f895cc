// csr.kernel.hpp -- y = A x for rows in CSR, one row at a time.
#pragma once
#include "kernels/sparse/gather.hpp"

namespace pawl::PAWL_ISA_NS {

// A row's product. Four vectors at a time hide the latency of gathers and of the multiply-adds that wait for them.
template <class T, class I>
PAWL_INLINE T row_product(const I* columns, const T* values, std::size_t n, const T* x) {
  constexpr std::size_t W = lanes<T>;
  // Below 8 entries the sum of a vector's lanes costs more than the loop that it replaces.
  if (n < 8) {
    T sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += values[k] * x[columns[k]];
    return sum;
  }
  Vec<T> s[4] = {Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0)), Vec<T>(T(0))};
  std::size_t k = 0;
  for (; k + 4 * W <= n; k += 4 * W)
    unroll<4>([&](auto u) PAWL_INLINE_LAMBDA {
      s[u] = fma<T>(load<T>(values + k + u * W), gather<T>(x, columns + k + u * W), s[u]);
    });
  for (; k + W <= n; k += W) s[0] = fma<T>(load<T>(values + k), gather<T>(x, columns + k), s[0]);
  if (k < n) s[1] = fma<T>(load_first<T>(values + k, n - k), gather_first<T>(x, columns + k, n - k), s[1]);
  return reduce_add<T>((s[0] + s[1]) + (s[2] + s[3]));
}

template <class T, class I>
static void csr_rows(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                     std::size_t end) noexcept {
  auto k = static_cast<std::size_t>(start[begin]);
  for (std::size_t r = begin; r < end; ++r) {
    const auto next = static_cast<std::size_t>(start[r + 1]);
    y[r] = row_product<T>(columns + k, values + k, next - k, x);
    k = next;
  }
}

}  // namespace pawl::PAWL_ISA_NS
