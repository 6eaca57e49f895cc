// matmul_bench.cpp -- our rows of matmul: the public function, and each ISA forced.
#include "pawl/matmul.hpp"

#include "matmul_rows.hpp"
#include "pawl/isa.hpp"
#include "pawl/parallel.hpp"

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

template <class T>
void add_rows(Rows& rows) {
  add_matmul_rows<T>(rows, {"pawl", multiply<T>, set_num_threads}, {1, 2});
  const auto add_variant = [&]<Isa isa>() {
    if (is_runnable(isa) && (!rows.quick() || sizeof(T) == 4))
      add_matmul_rows<T>(rows, {std::string(name(isa)), multiply_by<isa, T>, set_num_threads}, {1});
  };
  add_variant.template operator()<Isa::scalar>();
  add_variant.template operator()<Isa::sse2>();
  add_variant.template operator()<Isa::avx2>();
  add_variant.template operator()<Isa::avx512>();
  add_variant.template operator()<Isa::neon>();
}

const Registration rows([](Rows& r) {
  add_rows<float>(r);
  if (!r.quick()) add_rows<double>(r);
});

}  // namespace
}  // namespace pawl::bench
