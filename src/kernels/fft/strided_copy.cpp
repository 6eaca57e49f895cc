// strided_copy.cpp -- see strided_copy.hpp.
#include "kernels/fft/strided_copy.hpp"

#include <array>
#include <cstring>

#include "kernels/fft/lines.hpp"

namespace pawl::fft {
namespace {

// call(in offset, out offset) for each place along the dimensions other than `a` and `b`.
template <class Call>
void for_others(const Shape& shape, std::size_t a, std::size_t b, const std::ptrdiff_t* in, const std::ptrdiff_t* out,
                Call&& call) {
  std::array<std::size_t, kMaxRank> dimensions, index{};
  std::size_t count = 0;
  for (std::size_t d = shape.rank(); d-- > 0;)
    if (d != a && d != b && shape[d] > 1) dimensions[count++] = d;
  std::ptrdiff_t in_offset = 0, out_offset = 0;
  for (;;) {
    call(in_offset, out_offset);
    std::size_t i = 0;
    for (; i < count; ++i) {
      const std::size_t d = dimensions[i];
      in_offset += in[d];
      out_offset += out[d];
      if (++index[i] < shape[d]) break;
      const auto length = static_cast<std::ptrdiff_t>(shape[d]);
      in_offset -= length * in[d];
      out_offset -= length * out[d];
      index[i] = 0;
    }
    if (i == count) return;
  }
}

// turn: the transpose of a matrix of elements of 8 bytes and more; smaller ones go one by one.
template <class T, std::size_t numbers, class Turn>
void copy_elements(const Shape& shape, const T* in, const std::ptrdiff_t* in_strides, T* out,
                   const std::ptrdiff_t* out_strides, Turn&& turn) {
  constexpr auto kNumbers = static_cast<std::ptrdiff_t>(numbers);
  const std::size_t from = contiguous_dimension(shape, in_strides), to = contiguous_dimension(shape, out_strides);
  const std::size_t rank = shape.rank();
  if (from != to && from < rank && to < rank && sizeof(T) * numbers >= 8) {
    for_others(shape, from, to, in_strides, out_strides, [&](std::ptrdiff_t in_offset, std::ptrdiff_t out_offset) {
      turn(in + kNumbers * in_offset, kNumbers * in_strides[to], shape[to], shape[from], out + kNumbers * out_offset,
           kNumbers * out_strides[from]);
    });
    return;
  }
  const std::size_t d = from < rank ? from : to < rank ? to : 0;
  if (rank == 0) {
    std::memcpy(out, in, numbers * sizeof(T));
    return;
  }
  const auto n = static_cast<std::ptrdiff_t>(shape[d]);
  const std::ptrdiff_t step = kNumbers * in_strides[d], out_step = kNumbers * out_strides[d];
  for_others(shape, d, d, in_strides, out_strides, [&](std::ptrdiff_t in_offset, std::ptrdiff_t out_offset) {
    const T* const source = in + kNumbers * in_offset;
    T* const target = out + kNumbers * out_offset;
    constexpr std::ptrdiff_t kShort = 64 / static_cast<std::ptrdiff_t>(sizeof(T) * numbers);  // a call costs as much
    if (from == to && n > kShort)
      std::memcpy(target, source, static_cast<std::size_t>(n) * numbers * sizeof(T));
    else
      for (std::ptrdiff_t j = 0; j < n; ++j) std::memcpy(target + j * out_step, source + j * step, numbers * sizeof(T));
  });
}

}  // namespace

template <class T>
StridedCopy<T>::StridedCopy(Isa isa) noexcept
    : pairs_(*fft_ops<T>(isa).turns), numbers_of_8_bytes_(*fft_ops<float>(isa).turns) {}

template <class T>
void StridedCopy<T>::pairs(const Shape& shape, const T* in, const std::ptrdiff_t* in_strides, T* out,
                           const std::ptrdiff_t* out_strides) const noexcept {
  copy_elements<T, 2>(shape, in, in_strides, out, out_strides, pairs_.turn_pairs);
}

template <class T>
void StridedCopy<T>::reals(const Shape& shape, const T* in, const std::ptrdiff_t* in_strides, T* out,
                           const std::ptrdiff_t* out_strides) const noexcept {
  const auto turn = [&](const T* from, std::ptrdiff_t from_row, std::size_t rows, std::size_t columns, T* to,
                        std::ptrdiff_t to_row) {
    numbers_of_8_bytes_.turn_pairs(reinterpret_cast<const float*>(from), 2 * from_row, rows, columns,
                                   reinterpret_cast<float*>(to), 2 * to_row);
  };
  copy_elements<T, 1>(shape, in, in_strides, out, out_strides, turn);
}

template class StridedCopy<float>;
template class StridedCopy<double>;

}  // namespace pawl::fft
