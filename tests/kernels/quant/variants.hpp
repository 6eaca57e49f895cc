// variants.hpp -- a check of integer products -> the same check on every variant that runs here.
#pragma once
#include <gtest/gtest.h>

#include "kernels/quant/int8_product.hpp"
#include "pawl/isa.hpp"

namespace pawl::testing {

/// Every runnable ISA, and those that may have dot-product instructions once more without them.
template <class Check>
void on_every_variant(Check check) {
  for (const Isa isa : runnable_isas())
    for (const bool dots : {true, false}) {
      if (!dots && isa != Isa::avx512 && isa != Isa::avx2) continue;
      const ScopedIsa scope(isa);
      dot_products_allowed() = dots;
      SCOPED_TRACE(::testing::Message() << name(isa) << (dots ? "" : " without dot products"));
      check();
      dot_products_allowed() = true;
      if (::testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace pawl::testing
