// matmul_bench.cpp -- our rows of matmul: the public function, and each ISA forced.
#include "pawl/matmul.hpp"

#include <memory>

#include "matmul_rows.hpp"
#include "pawl/isa.hpp"
#include "pawl/packed_matrix.hpp"
#include "pawl/parallel.hpp"
#include "variants.hpp"

namespace pawl::bench {
namespace {

template <class T>
void multiply(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c) {
  matmul(Transpose::no, Transpose::no, m, n, k, T(1), a, k, b, n, T(0), c, n);
}

template <Isa isa, class T>
void multiply_by(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c) {
  const ScopedIsa scope(isa);
  multiply<T>(m, n, k, a, b, c);
}

// B of the row that is running, packed.
template <class T>
std::unique_ptr<PackedMatrix<T>>& packed() {
  static std::unique_ptr<PackedMatrix<T>> kept;
  return kept;
}

template <class T>
void multiply_packed(std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c) {
  auto& kept = packed<T>();
  if (!kept) kept = std::make_unique<PackedMatrix<T>>(View<const T>(b, {k, n}));
  matmul(View<const T>(a, {m, k}), *kept, View<T>(c, {m, n}));
}

template <class T>
void start_packed(int threads) {
  set_num_threads(threads);
  packed<T>().reset();
}

template <class T>
void multiply_batch(std::size_t batch, std::size_t m, std::size_t n, std::size_t k, const T* a, const T* b, T* c) {
  matmul_batched(View<const T>(a, {batch, m, k}), View<const T>(b, {batch, k, n}), View<T>(c, {batch, m, n}));
}

template <class T>
void add_rows(Rows& rows) {
  add_matmul_rows<T>(rows, {"pawl", multiply<T>, set_num_threads}, thread_counts());
  add_matmul_rows<T>(rows, {"pawl", multiply_packed<T>, start_packed<T>, true}, thread_counts());
  add_matmul_batched_rows<T>(rows, {"pawl", multiply<T>, set_num_threads}, thread_counts(), multiply_batch<T>);
  if (rows.quick() && sizeof(T) != 4) return;
  for_each_runnable_isa([&]<Isa isa>() {
    add_matmul_rows<T>(rows, {std::string(name(isa)), multiply_by<isa, T>, set_num_threads}, {1});
  });
}

const Registration rows([](Rows& r) {
  add_rows<float>(r);
  if (!r.quick()) add_rows<double>(r);
});

}  // namespace
}  // namespace pawl::bench
