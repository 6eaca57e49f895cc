// rows.cpp -- argument checks and dispatch of include/pawl/rows.hpp.
#include "pawl/rows.hpp"

#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "kernels/tables.hpp"

namespace pawl {
namespace {

const RowsOps<float>& ops(float) noexcept { return rows_table(detail::active_isa_inline()).f32; }
const RowsOps<double>& ops(double) noexcept { return rows_table(detail::active_isa_inline()).f64; }

[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument(std::string(function) + ": " + what);
}

// The number of rows.
std::size_t rows_of(const char* function, std::size_t x, std::size_t out, std::size_t columns) {
  if (x != out) refuse(function, "lengths differ (" + std::to_string(x) + " and " + std::to_string(out) + ")");
  if (x == 0) return 0;
  if (columns == 0 || x % columns != 0)
    refuse(function, std::to_string(x) + " elements are no whole number of rows of " + std::to_string(columns));
  return x / columns;
}

void check_factor(const char* function, const char* name, std::size_t size, std::size_t columns) {
  if (size != 0 && size != columns)
    refuse(function, std::string(name) + " has " + std::to_string(size) + " elements, rows have " +
                         std::to_string(columns) + " (empty: none)");
}

template <class T>
void check_epsilon(const char* function, T epsilon) {
  if (!(epsilon >= 0)) refuse(function, "epsilon is negative or NaN");
}

template <class T>
void call_softmax(std::span<const T> x, std::size_t columns, std::span<T> out) {
  const std::size_t rows = rows_of("softmax", x.size(), out.size(), columns);
  ops(T()).softmax(x.data(), out.data(), rows, columns);
}

template <class T>
void call_log_softmax(std::span<const T> x, std::size_t columns, std::span<T> out) {
  const std::size_t rows = rows_of("log_softmax", x.size(), out.size(), columns);
  ops(T()).log_softmax(x.data(), out.data(), rows, columns);
}

template <class T>
void call_layernorm(std::span<const T> x, std::size_t columns, std::span<const T> gain, std::span<const T> shift,
                    T epsilon, std::span<T> out) {
  const std::size_t rows = rows_of("layernorm", x.size(), out.size(), columns);
  check_factor("layernorm", "gain", gain.size(), columns);
  check_factor("layernorm", "shift", shift.size(), columns);
  check_epsilon("layernorm", epsilon);
  ops(T()).layernorm(x.data(), gain.empty() ? nullptr : gain.data(), shift.empty() ? nullptr : shift.data(), epsilon,
                     out.data(), rows, columns);
}

template <class T>
void call_rmsnorm(std::span<const T> x, std::size_t columns, std::span<const T> gain, T epsilon, std::span<T> out) {
  const std::size_t rows = rows_of("rmsnorm", x.size(), out.size(), columns);
  check_factor("rmsnorm", "gain", gain.size(), columns);
  check_epsilon("rmsnorm", epsilon);
  ops(T()).rmsnorm(x.data(), gain.empty() ? nullptr : gain.data(), epsilon, out.data(), rows, columns);
}

using F = std::span<const float>;
using D = std::span<const double>;

}  // namespace

void softmax(F x, std::size_t columns, std::span<float> out) { call_softmax<float>(x, columns, out); }
void softmax(D x, std::size_t columns, std::span<double> out) { call_softmax<double>(x, columns, out); }
void log_softmax(F x, std::size_t columns, std::span<float> out) { call_log_softmax<float>(x, columns, out); }
void log_softmax(D x, std::size_t columns, std::span<double> out) { call_log_softmax<double>(x, columns, out); }
void layernorm(F x, std::size_t columns, F gain, F shift, float epsilon, std::span<float> out) {
  call_layernorm<float>(x, columns, gain, shift, epsilon, out);
}
void layernorm(D x, std::size_t columns, D gain, D shift, double epsilon, std::span<double> out) {
  call_layernorm<double>(x, columns, gain, shift, epsilon, out);
}
void rmsnorm(F x, std::size_t columns, F gain, float epsilon, std::span<float> out) {
  call_rmsnorm<float>(x, columns, gain, epsilon, out);
}
void rmsnorm(D x, std::size_t columns, D gain, double epsilon, std::span<double> out) {
  call_rmsnorm<double>(x, columns, gain, epsilon, out);
}

}  // namespace pawl
