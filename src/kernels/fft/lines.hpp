// lines.hpp -- a length, a type and a variant -> the line made for it, once per process.
#pragma once
#include <cstddef>
#include <memory>

#include "kernels/fft/line.hpp"
#include "pawl/isa.hpp"

namespace pawl::fft {

/// n >= 1. Thread-safe. Errors: std::bad_alloc.
template <class T>
std::shared_ptr<const Line<T>> shared_line(std::size_t n, Isa isa);

/// Lines that no plan holds are made anew from then on. Thread-safe.
void forget_lines();

template <class T>
const FftOps<T>& fft_ops(Isa isa) noexcept;

/// What a line of n points is made of, in a plan of these or by itself: narrower ones where they are faster.
template <class T>
const FftOps<T>& ops_of_line(std::size_t n, const FftOps<T>& own) noexcept;

/// What tables of transforms are made with: `line` of m points itself where it is of f64, else one that is.
std::shared_ptr<const Line<double>> exact_line(const Line<double>& line, std::size_t m);
std::shared_ptr<const Line<double>> exact_line(const Line<float>& line, std::size_t m);

}  // namespace pawl::fft
