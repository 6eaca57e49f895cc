// torch_products.hpp -- the matrix products that libtorch's module offers tensor_bench.
#pragma once
#include <cstddef>

namespace pawl::bench {

/// As MatmulImplementation and multiply_all of add_matmul_batched_rows.
template <class T>
struct TorchProducts {
  void (*set_threads)(int threads) = nullptr;
  void (*multiply)(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c) = nullptr;
  void (*multiply_all)(std::size_t batch, std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b,
                       T* c) = nullptr;
};

}  // namespace pawl::bench
