// variants.hpp -- a way to add rows of one ISA -> rows of every ISA that runs here.
#pragma once
#include "pawl/isa.hpp"

namespace pawl::bench {

/// add.operator()<isa>() for each.
template <class Add>
void for_each_runnable_isa(Add add) {
  const auto one = [&]<Isa isa>() {
    if (is_runnable(isa)) add.template operator()<isa>();
  };
  one.template operator()<Isa::scalar>();
  one.template operator()<Isa::sse2>();
  one.template operator()<Isa::avx2>();
  one.template operator()<Isa::avx512>();
  one.template operator()<Isa::neon>();
}

}  // namespace pawl::bench
