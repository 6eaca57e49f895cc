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

TEST(FftArguments, Workspace) {
  const Plan<float> plan(64);
  std::vector<Z> x(64), y(64);
  std::vector<std::byte> small(plan.workspace_bytes() - 1);
  EXPECT_EQ(message_of([&] { plan.forward(x, y, small); }),
            "fft::forward: workspace has " + std::to_string(small.size()) + " bytes, workspace_bytes() is " +
                std::to_string(small.size() + 1));
  std::vector<Z> large(plan.workspace_bytes() / sizeof(Z) + 128);
  const auto bytes = std::as_writable_bytes(std::span(large));
  EXPECT_EQ(message_of([&] { plan.forward(std::span(large).subspan(0, 64), y, bytes); }),
            "fft::forward: in and workspace overlap");
  EXPECT_EQ(message_of([&] { plan.inverse(x, std::span(large).subspan(64, 64), bytes); }),
            "fft::inverse: out and workspace overlap");
}

}  // namespace
}  // namespace pawl::fft
