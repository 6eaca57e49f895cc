// lines.cpp -- see lines.hpp.
#include "kernels/fft/lines.hpp"

#include <utility>

#include "kernels/fft/cache.hpp"
#include "kernels/fft/real_line.hpp"
#include "kernels/of_type.hpp"
#include "kernels/tables.hpp"

namespace pawl::fft {

template <class T>
const FftOps<T>& fft_ops(Isa isa) noexcept {
  return of_type<T>(fft_table(isa));
}

// With half as many lanes where these divide n and the whole does not. Both halves of a `split` are then filled up to
// whole vectors, and `finish` has no second half: on a Zen 4 1000 and 5000 points of f32 took 1.38 and 1.37 times as
// long with 16 lanes as with 8. Nor do two or four vectors pay for their way through memory between two halves: 16
// points of f32 took 20 ns with 16 lanes and 7 with 8, 32 points 24 and 19.
template <class T>
const FftOps<T>& ops_of_line(std::size_t n, const FftOps<T>& own) noexcept {
  if (own.lanes * sizeof(T) < 64) return own;         // not avx512
  const FftOps<T>& narrower = fft_ops<T>(Isa::avx2);  // every CPU that runs avx512 runs it
  if (sizeof(T) == 4 && (n == 16 || n == 32)) return narrower;
  if (prefers_narrow<T>(n)) return narrower;
  if (choose_way(n, own).way != Way::split) return own;
  return choose_way(n, narrower).way == Way::finish ? narrower : own;
}

namespace {
template <class T>
auto& cache() {
  // Never destroyed: plans may be used by other static objects until the very end of the process.
  static auto& lines = *new Cache<std::pair<std::size_t, Isa>, Line<T>>;
  return lines;
}
}  // namespace

template <class T>
std::shared_ptr<const Line<T>> shared_line(std::size_t n, Isa isa) {
  return cache<T>().get(
      {n, isa}, [&] { return std::shared_ptr<const Line<T>>(make_line<T>(n, ops_of_line(n, fft_ops<T>(isa)))); });
}

void forget_lines() {
  cache<float>().clear();
  cache<double>().clear();
  forget_real_lines();
}

std::shared_ptr<const Line<double>> exact_line(const Line<double>& line, std::size_t) {
  return {std::shared_ptr<const Line<double>>(), &line};  // owns nothing
}
std::shared_ptr<const Line<double>> exact_line(const Line<float>&, std::size_t m) {
  return shared_line<double>(m, active_isa());  // any ISA will do
}

template const FftOps<float>& fft_ops(Isa) noexcept;
template const FftOps<double>& fft_ops(Isa) noexcept;
template const FftOps<float>& ops_of_line(std::size_t, const FftOps<float>&) noexcept;
template const FftOps<double>& ops_of_line(std::size_t, const FftOps<double>&) noexcept;
template std::shared_ptr<const Line<float>> shared_line(std::size_t, Isa);
template std::shared_ptr<const Line<double>> shared_line(std::size_t, Isa);

}  // namespace pawl::fft
