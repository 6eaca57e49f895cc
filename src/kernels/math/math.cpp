// math.cpp -- argument checks and dispatch of include/pawl/math.hpp.
#include "pawl/math.hpp"

#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/tables.hpp"
#include "parallel/parts.hpp"

namespace pawl {
namespace {

[[noreturn, gnu::cold]] void refuse_lengths(const char* function, std::size_t x, std::size_t out) {
  throw std::invalid_argument(std::string(function) + ": lengths differ (" + std::to_string(x) + " and " +
                              std::to_string(out) + ")");
}

const MathOps<float>& ops(float) noexcept { return math_table(detail::active_isa_inline()).f32; }
const MathOps<double>& ops(double) noexcept { return math_table(detail::active_isa_inline()).f64; }

template <class T>
void call(const char* function, typename MathOps<T>::Function MathOps<T>::*entry, std::span<const T> x,
          std::span<T> out) {
  if (x.size() != out.size()) [[unlikely]]
    refuse_lengths(function, x.size(), out.size());
  const auto run = ops(T()).*entry;
  detail::for_parts(x.size(), 2 * x.size_bytes(), detail::kPartGrain,
                    [=](std::size_t b, std::size_t e) { run(x.data() + b, out.data() + b, e - b); });
}

template <class T>
void call_pow(std::span<const T> x, T y, std::span<T> out) {
  if (x.size() != out.size()) [[unlikely]]
    refuse_lengths("pow", x.size(), out.size());
  const auto run = ops(T()).pow;
  detail::for_parts(x.size(), 2 * x.size_bytes(), detail::kPartGrain,
                    [=](std::size_t b, std::size_t e) { run(x.data() + b, y, out.data() + b, e - b); });
}

using F = std::span<const float>;
using D = std::span<const double>;

}  // namespace

void exp(F x, std::span<float> out) { call<float>("exp", &MathOps<float>::exp, x, out); }
void exp(D x, std::span<double> out) { call<double>("exp", &MathOps<double>::exp, x, out); }
void log(F x, std::span<float> out) { call<float>("log", &MathOps<float>::log, x, out); }
void log(D x, std::span<double> out) { call<double>("log", &MathOps<double>::log, x, out); }
void tanh(F x, std::span<float> out) { call<float>("tanh", &MathOps<float>::tanh, x, out); }
void tanh(D x, std::span<double> out) { call<double>("tanh", &MathOps<double>::tanh, x, out); }
void sigmoid(F x, std::span<float> out) { call<float>("sigmoid", &MathOps<float>::sigmoid, x, out); }
void sigmoid(D x, std::span<double> out) { call<double>("sigmoid", &MathOps<double>::sigmoid, x, out); }
void gelu(F x, std::span<float> out) { call<float>("gelu", &MathOps<float>::gelu, x, out); }
void gelu(D x, std::span<double> out) { call<double>("gelu", &MathOps<double>::gelu, x, out); }
void gelu_tanh(F x, std::span<float> out) { call<float>("gelu_tanh", &MathOps<float>::gelu_tanh, x, out); }
void gelu_tanh(D x, std::span<double> out) { call<double>("gelu_tanh", &MathOps<double>::gelu_tanh, x, out); }

void pow(F x, float y, std::span<float> out) { call_pow<float>(x, y, out); }
void pow(D x, double y, std::span<double> out) { call_pow<double>(x, y, out); }

}  // namespace pawl
