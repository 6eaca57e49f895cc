// fft_arguments_test.cpp -- arguments that do not fit: one clear line, and nothing touched.
#include <gmock/gmock.h>

#include <complex>
#include <stdexcept>
#include <vector>

#include "pawl/fft.hpp"

namespace pawl::fft {
namespace {

using Z = std::complex<float>;

template <class F>
std::string message_of(F&& call) {
  try {
    call();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "no error";
}

TEST(FftArguments, Lengths) {
  EXPECT_EQ(message_of([] { Plan<float>(0); }), "fft::Plan: length 0 is not from 1 to 1099511627776");
  EXPECT_THAT(message_of([] { Plan<double>(~std::size_t{0}); }), ::testing::HasSubstr("is not from 1 to"));
}

TEST(FftArguments, SizesAndNull) {
  const Plan<float> plan(8);
  std::vector<Z> eight(8, Z(1)), nine(9, Z(1)), out(8);
  EXPECT_EQ(message_of([&] { plan.forward(nine, out); }), "fft::forward: in has 9 elements, the plan is for 8");
  EXPECT_EQ(message_of([&] { plan.inverse(eight, nine); }), "fft::inverse: out has 9 elements, the plan is for 8");
  EXPECT_EQ(message_of([&] { plan.forward(std::span<const Z>(static_cast<const Z*>(nullptr), 8), out); }),
            "fft::forward: in is null");
  EXPECT_EQ(message_of([&] { plan.forward(eight, std::span<Z>(static_cast<Z*>(nullptr), 8)); }),
            "fft::forward: out is null");
  EXPECT_EQ(nine[8], Z(1));
  EXPECT_EQ(out[0], Z(0));
}

TEST(FftArguments, Overlap) {
  const Plan<float> plan(8);
  std::vector<Z> x(32, Z(1));
  const std::span<Z> all(x);
  EXPECT_EQ(message_of([&] { plan.forward(all.subspan(0, 8), all.subspan(7, 8)); }),
            "fft::forward: in and out overlap");
  EXPECT_EQ(message_of([&] { plan.forward(all.subspan(7, 8), all.subspan(0, 8)); }),
            "fft::forward: in and out overlap");
  EXPECT_EQ(x, std::vector<Z>(32, Z(1)));
  plan.forward(all.subspan(0, 8), all.subspan(8, 8));
  plan.forward(all.subspan(0, 8), all.subspan(0, 8));
}

// Short lines are called another way (Plan::run): 8 points, and 64.
TEST(FftArguments, Workspace) {
  for (const std::size_t n : {8u, 64u}) {
    SCOPED_TRACE(n);
    const Plan<float> plan(n);
    std::vector<Z> x(n), y(n);
    std::vector<std::byte> small(plan.workspace_bytes() - 1);
    EXPECT_EQ(message_of([&] { plan.forward(x, y, small); }),
              "fft::forward: workspace has " + std::to_string(small.size()) + " bytes, workspace_bytes() is " +
                  std::to_string(small.size() + 1));
    EXPECT_EQ(message_of([&] {
                plan.inverse(x, y, std::span<std::byte>(static_cast<std::byte*>(nullptr), plan.workspace_bytes()));
              }),
              "fft::inverse: workspace is null");
    std::vector<Z> large(plan.workspace_bytes() / sizeof(Z) + 128);
    const auto bytes = std::as_writable_bytes(std::span(large));
    EXPECT_EQ(message_of([&] { plan.forward(std::span(large).subspan(0, n), y, bytes); }),
              "fft::forward: in and workspace overlap");
    EXPECT_EQ(message_of([&] { plan.inverse(x, std::span(large).subspan(64, n), bytes); }),
              "fft::inverse: out and workspace overlap");
  }
}

TEST(FftArguments, OfRealLines) {
  for (const std::size_t n : {8u, 64u}) {
    SCOPED_TRACE(n);
    const RealPlan<float> plan(n);
    const std::size_t results = plan.results();
    const std::string wanted = std::to_string(n);
    std::vector<float> x(n, 1), longer(n + 1, 1), shared(4 * n + 2 * plan.workspace_bytes() / sizeof(float) + 8, 1);
    std::vector<Z> y(results, Z(2)), more(results + 1, Z(2));
    std::vector<std::byte> small(plan.workspace_bytes() - 1);
    // Both directions, with and without a workspace.
    EXPECT_EQ(message_of([&] { plan.forward(longer, y); }),
              "fft::forward: in has " + std::to_string(n + 1) + " elements, the plan is for " + wanted);
    EXPECT_EQ(message_of([&] { plan.inverse(y, longer); }),
              "fft::inverse: out has " + std::to_string(n + 1) + " elements, the plan is for " + wanted);
    EXPECT_EQ(message_of([&] { plan.forward(x, more); }), "fft::forward: out has " + std::to_string(results + 1) +
                                                              " elements, the plan is for " + std::to_string(results));
    EXPECT_EQ(message_of([&] { plan.forward(std::span<const float>(static_cast<const float*>(nullptr), n), y); }),
              "fft::forward: in is null");
    EXPECT_EQ(message_of([&] { plan.inverse(y, std::span<float>(static_cast<float*>(nullptr), n)); }),
              "fft::inverse: out is null");
    EXPECT_EQ(message_of([&] { plan.forward(x, y, small); }),
              "fft::forward: workspace has " + std::to_string(small.size()) + " bytes, workspace_bytes() is " +
                  std::to_string(small.size() + 1));
    const std::span<float> all(shared);
    const std::span<Z> pairs(reinterpret_cast<Z*>(shared.data() + 2), results);
    EXPECT_EQ(message_of([&] { plan.forward(all.subspan(1, n), pairs); }), "fft::forward: in and out overlap");
    EXPECT_EQ(message_of([&] { plan.inverse(pairs, all.subspan(1, n)); }), "fft::inverse: in and out overlap");
    const auto memory = std::as_writable_bytes(all.subspan(4, plan.workspace_bytes() / sizeof(float) + 4));
    EXPECT_EQ(message_of([&] { plan.forward(all.subspan(0, n), y, memory); }),
              "fft::forward: in and workspace overlap");
    EXPECT_EQ(message_of([&] { plan.inverse(y, all.subspan(5, n), memory); }),
              "fft::inverse: out and workspace overlap");
    EXPECT_EQ(shared, std::vector<float>(shared.size(), 1));
    EXPECT_EQ(x, std::vector<float>(n, 1));
    EXPECT_EQ(y, std::vector<Z>(results, Z(2)));
    plan.forward(all.subspan(2, n), pairs);  // from one address
    EXPECT_EQ(shared[2], static_cast<float>(n));
  }
}

}  // namespace
}  // namespace pawl::fft
