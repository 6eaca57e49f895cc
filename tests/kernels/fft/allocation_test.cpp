// allocation_test.cpp -- runs of plans with a workspace given -> no allocation, on one thread and on three.
//
// Every operator new of this executable counts. Threads are made by the first run, without it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "kernels/fft/random_numbers.hpp"
#include "pawl/fft.hpp"
#include "pawl/parallel.hpp"

namespace {

std::atomic<std::size_t> allocations{0};

// Out of line, since g++ 12 takes a free() that it sees in operator delete for a mismatch.
[[gnu::noinline]] void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* const p = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
[[gnu::noinline]] void give_back(void* p) { std::free(p); }

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 16); }
void* operator new[](std::size_t bytes) { return counted(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t bytes, std::align_val_t a) { return counted(bytes, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { give_back(p); }
void operator delete[](void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }

namespace pawl::fft {
namespace {

// Allocations of the second of two calls.
template <class Call>
std::size_t allocations_of(Call&& call) {
  call();
  const std::size_t before = allocations;
  call();
  return allocations - before;
}

template <class T>
void expect_none(std::size_t n) {
  const auto x = random_numbers<T>(n, n);
  Numbers<T> y(n);
  const Plan<T> plan(n);
  std::vector<std::byte> workspace(plan.workspace_bytes());
  EXPECT_EQ(allocations_of([&] { plan.forward(x, y, workspace); }), 0U) << n;
  EXPECT_EQ(allocations_of([&] { plan.inverse(y, y, workspace, Normalization::orthonormal); }), 0U) << n;

  const RealPlan<T> real(n);
  std::vector<T> reals(n, T(1));
  Numbers<T> half(n / 2 + 1);
  std::vector<std::byte> real_workspace(real.workspace_bytes());
  EXPECT_EQ(allocations_of([&] { real.forward(reals, half, real_workspace); }), 0U) << "real " << n;
  EXPECT_EQ(allocations_of([&] { real.inverse(half, reals, real_workspace); }), 0U) << "real " << n;
}

template <class T>
void expect_none_nd(const Shape& shape, const std::vector<std::size_t>& axes) {
  const auto x = random_numbers<T>(shape.elements(), 1);
  Numbers<T> y(shape.elements());
  const NdPlan<T> plan(shape, axes);
  std::vector<std::byte> workspace(plan.workspace_bytes());
  EXPECT_EQ(allocations_of([&] {
              plan.forward(View<const std::complex<T>>(x.data(), shape), View<std::complex<T>>(y.data(), shape),
                           workspace);
            }),
            0U);
  const RealNdPlan<T> real(shape, axes);
  std::vector<T> reals(shape.elements(), T(1));
  Numbers<T> half(real.results_shape().elements());
  std::vector<std::byte> real_workspace(real.workspace_bytes());
  EXPECT_EQ(allocations_of([&] {
              real.forward(View<const T>(reals.data(), shape), View<std::complex<T>>(half.data(), real.results_shape()),
                           real_workspace);
            }),
            0U);
  EXPECT_EQ(allocations_of([&] {
              real.inverse(View<const std::complex<T>>(half.data(), real.results_shape()), View<T>(reals.data(), shape),
                           real_workspace);
            }),
            0U);
}

TEST(FftAllocation, TheCounterCounts) {
  EXPECT_EQ(allocations_of([] { const std::vector<int> memory(100); }), 1U);
}

// A length of every way there is, even and odd, prime and smooth, long enough for threads and not.
TEST(FftAllocation, NoneWithAWorkspaceGiven) {
  const int before = num_threads();
  for (int threads : {1, 3}) {
    set_num_threads(threads);
    for (std::size_t n : {1U,   2U,    7U,    16U,   17U,   60U,   64U,    100U,    101U,    243U,
                          256U, 1000U, 1009U, 2018U, 4096U, 5000U, 65537U, 131072U, 262144U, 300000U}) {
      expect_none<float>(n);
      expect_none<double>(n);
    }
    expect_none_nd<float>({1024, 800}, {0, 1});
    expect_none_nd<double>({12500, 8}, {1});
    expect_none_nd<float>({17, 40, 41}, {0, 1, 2});
    expect_none_nd<double>({70, 1009}, {0, 1});
  }
  set_num_threads(before);
}

}  // namespace
}  // namespace pawl::fft
