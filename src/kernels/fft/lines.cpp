// lines.cpp -- see lines.hpp.
#include "kernels/fft/lines.hpp"

#include <type_traits>
#include <utility>

#include "kernels/fft/cache.hpp"
#include "kernels/tables.hpp"

namespace pawl::fft {

template <class T>
const FftOps<T>& fft_ops(Isa isa) noexcept {
  if constexpr (std::is_same_v<T, float>)
    return fft_table(isa).f32;
  else
    return fft_table(isa).f64;
}

template <class T>
std::shared_ptr<const Line<T>> shared_line(std::size_t n, Isa isa) {
  // Never destroyed: plans may be used by other static objects until the very end of the process.
  static auto& cache = *new Cache<std::pair<std::size_t, Isa>, Line<T>>;
  return cache.get({n, isa}, [&] { return std::shared_ptr<const Line<T>>(make_line<T>(n, fft_ops<T>(isa))); });
}

std::shared_ptr<const Line<double>> exact_line(const Line<double>& line, std::size_t) {
  return {std::shared_ptr<const Line<double>>(), &line};  // owns nothing
}
std::shared_ptr<const Line<double>> exact_line(const Line<float>&, std::size_t m) {
  return shared_line<double>(m, active_isa());  // any ISA will do
}

template const FftOps<float>& fft_ops(Isa) noexcept;
template const FftOps<double>& fft_ops(Isa) noexcept;
template std::shared_ptr<const Line<float>> shared_line(std::size_t, Isa);
template std::shared_ptr<const Line<double>> shared_line(std::size_t, Isa);

}  // namespace pawl::fft
