// isa_test.cpp -- variants are listed, named, forced, and what is forced is what runs.
#include "pawl/isa.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace pawl {
namespace {

TEST(Isa, NamesAndParsingAreInverse) {
  for (Isa isa : {Isa::scalar, Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon}) EXPECT_EQ(parse_isa(name(isa)), isa);
  EXPECT_EQ(parse_isa("AVX2"), std::nullopt);
  EXPECT_EQ(parse_isa(""), std::nullopt);
}

TEST(Isa, RunnableVariantsAreCompiledOrderedAndStartWithScalar) {
  const auto compiled = compiled_isas(), runnable = runnable_isas();
  ASSERT_FALSE(runnable.empty());
  EXPECT_EQ(runnable.front(), Isa::scalar);
  EXPECT_TRUE(std::ranges::is_sorted(runnable));
  for (Isa isa : runnable) EXPECT_NE(std::ranges::find(compiled, isa), compiled.end()) << name(isa);
}

TEST(Isa, ActiveIsTheWidestRunnableUnlessForced) {
  const char* forced = std::getenv("PAWL_ISA");
  EXPECT_EQ(active_isa(), forced && *forced ? parse_isa(forced).value() : runnable_isas().back());
}

TEST(Isa, ScopesNestAndRestore) {
  const Isa before = active_isa();
  {
    ScopedIsa outer(Isa::scalar);
    EXPECT_EQ(active_isa(), Isa::scalar);
    {
      ScopedIsa inner(runnable_isas().back());
      EXPECT_EQ(active_isa(), runnable_isas().back());
    }
    EXPECT_EQ(active_isa(), Isa::scalar);
  }
  EXPECT_EQ(active_isa(), before);
}

TEST(Isa, AVariantThatCannotRunIsRefused) {
#if defined(__x86_64__)
  const Isa missing = Isa::neon;
#else
  const Isa missing = Isa::avx512;
#endif
  EXPECT_FALSE(is_runnable(missing));
  const Isa before = active_isa();
  EXPECT_THROW(ScopedIsa scope(missing), std::invalid_argument);
  EXPECT_EQ(active_isa(), before);
}

// The child re-runs this test alone ("threadsafe" style), so active_isa() has not been called in it yet.
TEST(IsaDeathTest, AnUnknownOrUnrunnableForcedVariantEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("PAWL_ISA", "avx1024", 1);
  EXPECT_EXIT((void)active_isa(), testing::ExitedWithCode(2), "PAWL_ISA=avx1024 is not a variant.*runs: scalar");
#if defined(__x86_64__)
  setenv("PAWL_ISA", "neon", 1);
  EXPECT_EXIT((void)active_isa(), testing::ExitedWithCode(2), "PAWL_ISA=neon cannot run here");
#endif
  unsetenv("PAWL_ISA");
}

TEST(IsaDeathTest, AForcedVariantIsActive) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (Isa isa : runnable_isas()) {
    setenv("PAWL_ISA", std::string(name(isa)).c_str(), 1);
    EXPECT_EXIT(std::exit(active_isa() == isa ? 17 : 1), testing::ExitedWithCode(17), "");
  }
  unsetenv("PAWL_ISA");
}

TEST(CpuFeatures, CachedEqualsFreshAndLevelsImplyTheLowerOnes) {
  const CpuFeatures& cached = cpu_features();
  const CpuFeatures fresh = detect_cpu_features();
  EXPECT_EQ(cached.avx2, fresh.avx2);
  EXPECT_EQ(cached.avx512f, fresh.avx512f);
#if defined(__x86_64__)
  EXPECT_TRUE(fresh.sse2);
  if (fresh.avx512f) {
    EXPECT_TRUE(fresh.avx2);
  }
#endif
}

TEST(CacheSizes, GrowOutwards) {
  const CacheSizes& sizes = cache_sizes();
  if (sizes.l2_bytes != 0) {
    EXPECT_LT(sizes.l1d_bytes, sizes.l2_bytes);
  }
  if (sizes.l3_bytes != 0) {
    EXPECT_LE(sizes.l2_bytes, sizes.l3_bytes);
  }
}

}  // namespace
}  // namespace pawl
