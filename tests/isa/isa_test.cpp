// isa_test.cpp -- variants are listed, named, forced, and what is forced is what runs.
#include "pawl/isa.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "isa/data_path.hpp"
#include "isa/legacy_cache_sizes.hpp"
#include "isa/long_array_isa.hpp"
#include "isa/streaming.hpp"

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

// The L3 of a server, of which others have most, does not put the bound out of reach.
TEST(Streaming, BeginsBeyondTwiceWhatTheLastLevelKeeps) {
  EXPECT_LE(kept_in_l3(), std::min<std::size_t>(assumed_cache_sizes().l3_bytes, 32u << 20));
  EXPECT_GT(kept_in_l3(), 0u);
  const std::size_t bound = std::max(2 * kept_in_l3(), std::size_t{8} << 20);
  EXPECT_FALSE(worth_streaming_bytes(bound - 1));
  EXPECT_TRUE(worth_streaming_bytes(bound + 1));
  EXPECT_TRUE(worth_streaming_bytes((std::size_t{64} << 20) + 1));
}

TEST(LongArrayIsa, IsNarrowerOnlyBeyondTheCachesOfACpuThatSplitsTheWidest) {
  const std::size_t cached = assumed_cache_sizes().l3_bytes, much = cached + (std::size_t{64} << 20);
  for (const Isa isa : runnable_isas()) {
    const ScopedIsa scope(isa);
    for (const bool splits : {false, true}) {
      const DataPath path(splits);
      EXPECT_EQ(detail::long_array_isa(0), isa);
      EXPECT_EQ(detail::long_array_isa(cached), isa);
      EXPECT_EQ(detail::long_array_isa(much), splits && isa == Isa::avx512 ? Isa::avx2 : isa);
    }
  }
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

TEST(CacheSizes, AreReadFromAmdsOlderLeaves) {
  // A Zen 5 of a virtual machine whose hypervisor hides the lists of caches: 508 MiB are those of the whole package.
  const CacheSizes zen5 = detail::legacy_cache_sizes(0x300c0140, 0x04006140, 0x0fe09140);
  EXPECT_EQ(zen5.l1d_bytes, 48u << 10);
  EXPECT_EQ(zen5.l2_bytes, 1u << 20);
  EXPECT_EQ(zen5.l3_bytes, 32u << 20);
  const CacheSizes small = detail::legacy_cache_sizes(0x20080140, 0x02006140, 8u << 18);
  EXPECT_EQ(small.l3_bytes, 4u << 20);
  const CacheSizes nothing = detail::legacy_cache_sizes(0, 0, 0);
  EXPECT_EQ(nothing.l1d_bytes + nothing.l2_bytes + nothing.l3_bytes, 0u);
}

TEST(CacheSizes, AreAssumedWhereTheyAreUnknown) {
  const CacheSizes &known = cache_sizes(), &assumed = assumed_cache_sizes();
  EXPECT_GT(assumed.l1d_bytes, 0u);
  EXPECT_GT(assumed.l2_bytes, assumed.l1d_bytes);
  EXPECT_GT(assumed.l3_bytes, 0u);
  if (known.l1d_bytes) {
    EXPECT_EQ(assumed.l1d_bytes, known.l1d_bytes);
  }
  if (known.l2_bytes) {
    EXPECT_EQ(assumed.l2_bytes, known.l2_bytes);
  }
  if (known.l3_bytes) {
    EXPECT_EQ(assumed.l3_bytes, known.l3_bytes);
  }
}

}  // namespace
}  // namespace pawl
