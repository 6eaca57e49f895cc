// fft_roots.isa.cpp -- compiled once per ISA; defines that ISA's functions of FftRoots (fft_making.hpp).
#include "kernels/fft/roots.kernel.hpp"

namespace pawl::PAWL_ISA_NS {
namespace {

constexpr std::size_t W = lanes<double>;

void exact(const ExactRoot* corners, std::size_t n, std::size_t step, std::size_t count, ExactRoot* out) noexcept {
  const CornerRoots roots(corners, n);
  const Reg<double> steps = lane_numbers() * broadcast<double>(static_cast<double>(step));
  for (std::size_t j = 0; j < count; j += W) {
    const Roots root = roots(broadcast<double>(static_cast<double>(j * step)) + steps);
    double parts[4][W];
    store_reg<double>(parts[0], root.first.re);
    store_reg<double>(parts[1], root.first.im);
    store_reg<double>(parts[2], root.rest.re);
    store_reg<double>(parts[3], root.rest.im);
    for (std::size_t i = 0; i < W && j + i < count; ++i)
      out[j + i] = {parts[0][i], parts[1][i], parts[2][i], parts[3][i]};
  }
}

void small(std::size_t n, std::size_t padded, double* out) noexcept {
  const double angle = -2 * std::numbers::pi / static_cast<double>(n);
  for (std::size_t k = 0; k < padded; k += W) {
    const Reg<double> x = (broadcast<double>(static_cast<double>(k)) + lane_numbers()) * broadcast<double>(angle);
    const Reg<double> square = x * x;
    store_reg<double>(out + k, cos_less_1(square));
    store_reg<double>(out + padded + k, sine_of(x, square));
  }
}

void products(const ExactRoot* high, std::size_t size, const double* low, std::size_t padded, std::size_t count,
              double* out) noexcept {
  for (std::size_t j = 0; j < size; ++j, ++high, out += 2 * count) {
    const Roots root{{broadcast<double>(high->re), broadcast<double>(high->im)},
                     {broadcast<double>(high->re_rest), broadcast<double>(high->im_rest)}};
    for (std::size_t k = 0; k < count; k += W)
      store_pairs<double>(out + 2 * k,
                          product_of_roots(root, load_reg<double>(low + k), load_reg<double>(low + padded + k)), false);
  }
}

void chirp(const ExactRoot* corners, std::size_t n, std::size_t count, double* out) noexcept {
  const std::size_t circle = 2 * n;
  const CornerRoots roots(corners, circle);
  const Reg<double> zero = broadcast<double>(0), length = broadcast<double>(static_cast<double>(circle));
  const auto store = [&](std::size_t j, Reg<double> place) PAWL_INLINE_LAMBDA {
    const Cx<double> root = roots(place).first;
    store_pairs<double>(out + 2 * j, Cx<double>{root.re, zero - root.im}, false);
  };
  // Up to here squares and multiples of the circle are whole numbers of double.
  constexpr std::size_t kExact = std::size_t{1} << 26;
  if (count <= kExact) {
    const Reg<double> inverse = broadcast<double>(1 / static_cast<double>(circle));
    const Reg<double> round = broadcast<double>(0x1.8p52);
    for (std::size_t j = 0; j < count; j += W) {
      const Reg<double> number = broadcast<double>(static_cast<double>(j)) + lane_numbers(), square = number * number;
      store(j, square - ((square * inverse + round) - round) * length);  // from minus half of the circle to half
    }
    return;
  }
  for (std::size_t j = 0; j < count; j += W) {
    double places[W];
    for (std::size_t i = 0; i < W; ++i) places[i] = static_cast<double>((j + i) * (j + i) % circle);
    store(j, load_reg<double>(places));
  }
}

}  // namespace

extern const FftRoots fft_roots;
constinit const FftRoots fft_roots{exact, small, products, chirp, W};

}  // namespace pawl::PAWL_ISA_NS
