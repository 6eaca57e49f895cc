// reduce_bench.cpp -- our rows of the reductions: `pawl` is the public function; an ISA is the same with it forced.
#include "pawl/reduce.hpp"

#include "pawl/isa.hpp"
#include "reduce_rows.hpp"
#include "variants.hpp"

namespace pawl::bench {
namespace {

template <class T>
ReduceImplementation<T> public_reductions() {
  using In = std::span<const T>;
  return {
      .impl = "pawl",
      .mean = [](const T* x, std::size_t n) { return mean(In(x, n)); },
      .variance = [](const T* x, std::size_t n) { return variance(In(x, n)); },
      .stddev = [](const T* x, std::size_t n) { return stddev(In(x, n)); },
      .argmax = [](const T* x, std::size_t n) { return argmax(In(x, n)); },
      .norm = [](const T* x, std::size_t n) { return norm(In(x, n)); },
      .cosine_similarity = [](const T* x, const T* y, std::size_t n) { return cosine_similarity(In(x, n), In(y, n)); }};
}

template <class T>
void add_all(Rows& rows) {
  add_reduce_rows<T>(rows, public_reductions<T>());
  if (rows.quick()) return;
  using In = std::span<const T>;
  for_each_runnable_isa([&]<Isa isa>() {
    add_reduce_rows<T>(rows, {.impl = std::string(name(isa)),
                              .variance =
                                  [](const T* x, std::size_t n) {
                                    const ScopedIsa scope(isa);
                                    return variance(In(x, n));
                                  },
                              .argmax =
                                  [](const T* x, std::size_t n) {
                                    const ScopedIsa scope(isa);
                                    return argmax(In(x, n));
                                  }});
  });
}

const Registration rows([](Rows& r) {
  add_all<float>(r);
  if (!r.quick()) add_all<double>(r);
});

}  // namespace
}  // namespace pawl::bench
