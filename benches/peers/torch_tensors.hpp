// torch_tensors.hpp -- arrays of a bench's row -> tensors of libtorch that stay from call to call.
//
// A program that uses libtorch holds its tensors; making one around an array costs about a microsecond, which is not
// part of an operation. Results go into given tensors (the functions that end in _out), as in a loop that reuses them.
#pragma once
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <tuple>
#include <typeinfo>

namespace pawl::bench {

// The element type as libtorch names it.
template <class T>
constexpr at::ScalarType torch_type = c10::CppTypeToScalarType<T>::value;

/// The row-major tensor of `sizes` at `data`. The 16 used last are kept; what is returned stays as long, so for the
/// five at most of one call.
inline const at::Tensor& torch_tensor(const void* data, at::ScalarType type,
                                      std::initializer_list<std::int64_t> sizes) {
  struct Kept {
    const void* data = nullptr;
    at::ScalarType type = at::ScalarType::Undefined;
    std::uint64_t used = 0;
    at::Tensor tensor;
  };
  static const c10::InferenceMode no_gradients;
  static std::array<Kept, 16> all;
  static std::uint64_t now = 0;
  ++now;
  Kept* oldest = &all[0];
  for (Kept& kept : all) {
    if (kept.data == data && kept.type == type && kept.tensor.sizes() == at::IntArrayRef(sizes)) {
      kept.used = now;
      return kept.tensor;
    }
    if (kept.used < oldest->used) oldest = &kept;
  }
  *oldest = {data, type, now, at::from_blob(const_cast<void*>(data), sizes, at::TensorOptions().dtype(type))};
  return oldest->tensor;
}

template <class T, class... Size>
const at::Tensor& tensor_of(const T* data, Size... sizes) {
  return torch_tensor(data, torch_type<T>, {static_cast<std::int64_t>(sizes)...});
}

/// A tensor without dimensions for results that are one number.
template <class T>
at::Tensor& torch_number() {
  static at::Tensor number = (torch_tensor(nullptr, at::kFloat, {0}), at::zeros({}, torch_type<T>));
  return number;
}
template <class T>
T value_of(const at::Tensor& number) {
  return *number.data_ptr<T>();
}

// Where libtorch writes a result only into a tensor that it makes, a row's first result is copied for the row's check,
// and what later calls make is dropped, as where a program takes it and goes on.
inline bool torch_checked = false;  ///< false where a row starts
template <class T>
void give_torch_result(const at::Tensor& result, T* out, std::size_t n) {
  if (!torch_checked) std::memcpy(out, result.data_ptr(), n * sizeof(T));
  torch_checked = true;
}

/// libtorch's own threads, and those of the OpenBLAS under its products, which keeps a number of its own.
inline void set_torch_threads(int threads) {
  static int now = 0;
  if (threads == now) return;
  now = threads;
  at::set_num_threads(threads);
  static const auto set_blas = [] {
    void* const blas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<void (*)(int)>(blas ? dlsym(blas, "openblas_set_num_threads") : nullptr);
  }();
  if (set_blas) set_blas(threads);
}

/// The table of that type among `tables`; null where there is none.
template <class... Table>
const void* table_of_type(const std::type_info& type, const std::tuple<Table...>& tables) {
  const void* found = nullptr;
  std::apply([&](const Table&... table) { ((type == typeid(Table) ? found = &table : nullptr), ...); }, tables);
  return found;
}

}  // namespace pawl::bench
