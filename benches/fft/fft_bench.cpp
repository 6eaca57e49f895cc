// fft_bench.cpp -- our rows of the Fourier transform: the public plan, and each ISA forced.
#include "pawl/fft.hpp"

#include <memory>
#include <vector>

#include "convolution_rows.hpp"
#include "fft_rows.hpp"
#include "kernels/fft/lines.hpp"
#include "nd_rows.hpp"
#include "pawl/parallel.hpp"
#include "real_axis_rows.hpp"
#include "real_nd_rows.hpp"
#include "real_rows.hpp"
#include "variants.hpp"

namespace pawl::bench {
namespace {

template <class T>
Transform make_transform(std::size_t n, std::complex<T>* in, std::complex<T>* out) {
  const fft::Plan<T> plan(n);
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.forward(std::span<const std::complex<T>>(in, n), std::span(out, n), *workspace); };
}

template <Isa isa, class T>
Transform make_transform_by(std::size_t n, std::complex<T>* in, std::complex<T>* out) {
  const ScopedIsa scope(isa);
  return make_transform<T>(n, in, out);
}

template <class T>
Transform make_real_forward(std::size_t n, T* in, std::complex<T>* out) {
  const fft::RealPlan<T> plan(n);
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.forward(std::span<const T>(in, n), std::span(out, n / 2 + 1), *workspace); };
}
template <class T>
Transform make_real_inverse(std::size_t n, std::complex<T>* in, T* out) {
  const fft::RealPlan<T> plan(n);
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.inverse(std::span<const std::complex<T>>(in, n / 2 + 1), std::span(out, n), *workspace); };
}

// All dimensions but the batch, which comes first if there is one.
template <class T>
Transform make_nd(const NdProblem& p, int threads, std::complex<T>* in, std::complex<T>* out) {
  set_num_threads(threads);
  std::vector<std::size_t> extents = p.extents, axes;
  if (p.batch > 1) extents.insert(extents.begin(), p.batch);
  for (std::size_t d = p.batch > 1; d < extents.size(); ++d) axes.push_back(d);
  const Shape shape{std::span<const std::size_t>(extents)};
  const fft::NdPlan<T> plan(shape, axes);
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.forward(View<const std::complex<T>>(in, shape), View<std::complex<T>>(out, shape), *workspace); };
}

template <class T>
Transform make_real_nd(const NdProblem& p, T* in, std::complex<T>* out) {
  set_num_threads(1);
  const Shape shape{std::span<const std::size_t>(p.extents)};
  std::vector<std::size_t> axes;
  for (std::size_t d = 0; d < shape.rank(); ++d) axes.push_back(d);
  const fft::RealNdPlan<T> plan(shape, axes);
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.forward(View<const T>(in, shape), View<std::complex<T>>(out, plan.results_shape()), *workspace); };
}

template <class T>
Transform make_real_axis_forward(const RealAxisProblem& p, T* in, std::complex<T>* out) {
  set_num_threads(1);
  const Shape shape{p.lines, p.n, p.columns};
  const fft::RealNdPlan<T> plan(shape, {1});
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.forward(View<const T>(in, shape), View<std::complex<T>>(out, plan.results_shape()), *workspace); };
}
template <class T>
Transform make_real_axis_inverse(const RealAxisProblem& p, std::complex<T>* in, T* out) {
  set_num_threads(1);
  const Shape shape{p.lines, p.n, p.columns};
  const fft::RealNdPlan<T> plan(shape, {1});
  const auto workspace = std::make_shared<std::vector<std::byte>>(plan.workspace_bytes());
  return [=] { plan.inverse(View<const std::complex<T>>(in, plan.results_shape()), View<T>(out, shape), *workspace); };
}

template <class T>
Transform make_convolution(std::span<const T> x, std::span<const T> y, std::span<T> out) {
  return [=] { fft::convolve(x, y, out); };
}

// Plans are kept for the life of a process, so what is timed is what the first one of a length does, those of f64 too
// that it is made with.
template <class T>
void make_plan(std::size_t n) {
  fft::forget_lines();
  benchmark::DoNotOptimize(fft::make_line<T>(n, fft::fft_ops<T>(active_isa())));
}

// What the second plan of a length costs, and that it makes nothing.
template <class T>
void add_cached_plan_row(Rows& rows) {
  constexpr std::size_t kLength = 1000;
  rows.add(RowName("fft_plan_cached", sizeof(T) == 4 ? "f32" : "f64", "pawl").with("n", kLength),
           [=](benchmark::State& state) {
             const fft::Plan<T> first(kLength);
             const auto before = fft::plan_cache_statistics();
             measure(state, [=] { benchmark::DoNotOptimize(fft::Plan<T>(kLength)); });
             auto since = fft::plan_cache_statistics();
             since.hits -= before.hits;
             since.misses -= before.misses;
             state.counters["hit_rate"] = since.hit_rate();
             set_work(state, {.items = 1});
           });
}

template <class T>
void add_rows(Rows& rows) {
  add_fft_rows<T>(rows, {"pawl", make_transform<T>, false, thread_counts(), set_num_threads});
  add_real_fft_rows<T>(rows, {"pawl", make_real_forward<T>, make_real_inverse<T>, thread_counts(), set_num_threads});
  add_nd_fft_rows<T>(rows, {"pawl", make_nd<T>, thread_counts()});
  add_real_nd_fft_rows<T>(rows, {"pawl", make_real_nd<T>});
  add_real_axis_rows<T>(rows, {"pawl", make_real_axis_forward<T>, make_real_axis_inverse<T>});
  add_convolution_rows<T>(rows, {"pawl", make_convolution<T>});
  add_fft_plan_rows<T>(rows, "pawl", make_plan<T>, {64, 1000, 1009, 1024, 4096, 65536, 1048576});
  if (!rows.quick()) add_cached_plan_row<T>(rows);
  if (rows.quick() && sizeof(T) != 4) return;
  for_each_runnable_isa([&]<Isa isa>() {
    add_fft_rows<T>(rows, {std::string(name(isa)), make_transform_by<isa, T>, false, {1}, set_num_threads});
  });
}

const Registration rows([](Rows& r) {
  add_rows<float>(r);
  if (!r.quick()) add_rows<double>(r);
});

}  // namespace
}  // namespace pawl::bench
