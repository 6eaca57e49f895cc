// stream_rows.cpp -- the four kernels of STREAM (McCalpin 1995): copy, scale, add, triad.
//
// Name      stream_<kernel>/f64/<impl>/n:<n>     plain: loops as STREAM has them; pawl: the library's functions
// Counters  bytes: what the kernel reads and writes, as STREAM counts it (an ordinary store reads its line as well)
// Question  how close do plain loops and the library come to what memory can do?
#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "buffers.hpp"
#include "pawl/simd.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

enum class Kernel { copy, scale, add, triad };
constexpr double kScale = 3;

const char* name_of(Kernel kernel) {
  static constexpr const char* kNames[] = {"stream_copy", "stream_scale", "stream_add", "stream_triad"};
  return kNames[static_cast<int>(kernel)];
}

using In = std::span<const double>;
using Out = std::span<double>;

struct Plain {
  static void copy(In a, Out c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i];
  }
  static void scale(In a, Out c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = kScale * a[i];
  }
  static void add(In a, In b, Out c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
  }
  static void triad(In a, In b, Out c) {
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i] + kScale * b[i];
  }
};

struct Pawl {
  static void copy(In a, Out c) { std::copy(a.begin(), a.end(), c.begin()); }  // memcpy, which Tensor copies by
  static void scale(In a, Out c) { mul(a, kScale, c); }
  static void add(In a, In b, Out c) { pawl::add(a, b, c); }
  static void triad(In, In, Out) {}  // not a function of the library, and not registered
};

template <class Impl>
void run(Kernel kernel, In a, In b, Out c) {
  switch (kernel) {
    case Kernel::copy:
      return Impl::copy(a, c);
    case Kernel::scale:
      return Impl::scale(a, c);
    case Kernel::add:
      return Impl::add(a, b, c);
    case Kernel::triad:
      return Impl::triad(a, b, c);
  }
}

double want(Kernel kernel, double a, double b) {
  switch (kernel) {
    case Kernel::copy:
      return a;
    case Kernel::scale:
      return kScale * a;
    case Kernel::add:
      return a + b;
    default:
      return a + kScale * b;
  }
}

template <class Impl>
void add_kernel(Rows& rows, Kernel kernel, const char* impl, std::size_t n) {
  rows.add(RowName(name_of(kernel), "f64", impl).with("n", n), [=](benchmark::State& state) {
    Buffers buffers;
    const auto a = buffers.random_f64(n, 1), b = buffers.random_f64(n, 2), c = buffers.make<double>(n);
    run<Impl>(kernel, a, b, c);
    for (std::size_t i = 0; i < n; i += 997)
      if (!(std::abs(c[i] - want(kernel, a[i], b[i])) <= 1e-15)) return state.SkipWithError("wrong result");
    measure(state, [&] { run<Impl>(kernel, a, b, c); });
    const double arrays = kernel == Kernel::copy || kernel == Kernel::scale ? 2 : 3;
    const double operations = kernel == Kernel::copy ? 0 : kernel == Kernel::triad ? 2 : 1;
    set_work(state, {.flops = operations * double(n), .bytes = 8 * arrays * double(n), .items = double(n)});
  });
}

const Registration rows([](Rows& r) {
  if (r.quick()) return;
  for (const Kernel kernel : {Kernel::copy, Kernel::scale, Kernel::add, Kernel::triad})
    for (const std::size_t n : {std::size_t{1} << 10, std::size_t{16} << 10, std::size_t{256} << 10,
                                std::size_t{8} << 20}) {  // three arrays: L1, L2, L3, memory
      add_kernel<Plain>(r, kernel, "plain", n);
      if (kernel != Kernel::triad) add_kernel<Pawl>(r, kernel, "pawl", n);
    }
});

}  // namespace
}  // namespace pawl::bench
