// variants.hpp -- the variants that this machine runs, as constants: what rows of one ISA each are registered by.
#pragma once
#include "pawl/isa.hpp"

namespace pawl::bench {

/// add.template operator()<isa>() for every variant that runs here, narrow to wide.
template <class Add>
void for_each_runnable_isa(Add add) {
  const auto add_if_runnable = [&]<Isa isa>() {
    if (is_runnable(isa)) add.template operator()<isa>();
  };
  add_if_runnable.template operator()<Isa::scalar>();
  add_if_runnable.template operator()<Isa::sse2>();
  add_if_runnable.template operator()<Isa::avx2>();
  add_if_runnable.template operator()<Isa::avx512>();
  add_if_runnable.template operator()<Isa::neon>();
}

}  // namespace pawl::bench
