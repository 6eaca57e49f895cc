// layout_bench.cpp -- our rows of rearranging: the public functions, into memory that exists, as peers write into
// theirs.
#include "layout_rows.hpp"
#include "pawl/layout.hpp"

namespace pawl::bench {
namespace {

template <class T>
View<T> matrix(T* x, std::size_t m, std::size_t n) {
  return {x, Shape{m, n}};
}

template <class T>
LayoutImplementation<T> public_functions() {
  using N = std::size_t;
  using A = std::array<N, 4>;
  return {.impl = "pawl",
          .transpose = [](const T* x, N m, N n,
                          T* out) { transpose(std::span<const T>(x, m * n), m, n, std::span<T>(out, m * n)); },
          .permute =
              [](const T* x, const A& extents, const A& axes, T* out) {
                const auto view = View<const T>(x, Shape(std::span(extents))).permute(std::span(axes));
                copy(view, View<T>(out, view.shape()));
              },
          .concat =
              [](const T* x, const T* y, N m, N n, T* out) {
                const View<const T> parts[] = {matrix(x, m, n), matrix(y, m, n)};
                concat(std::span(parts), 1, matrix(out, m, 2 * n));
              },
          .add_row = [](const T* x, const T* row, N m, N n,
                        T* out) { add(matrix(x, m, n), matrix(row, 1, n), matrix(out, m, n)); },
          .add_column = [](const T* x, const T* column, N m, N n,
                           T* out) { add(matrix(x, m, n), matrix(column, m, 1), matrix(out, m, n)); }};
}

const Registration rows([](Rows& r) {
  add_layout_rows<float>(r, public_functions<float>());
  if (!r.quick()) add_layout_rows<double>(r, public_functions<double>());
});

}  // namespace
}  // namespace pawl::bench
