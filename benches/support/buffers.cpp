// buffers.cpp -- one region on huge pages, handed out in order.
#include "buffers.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace pawl::bench {
namespace {

constexpr std::size_t kPage = 4096, kLine = 64, kHugePage = std::size_t{2} << 20;
constexpr std::size_t kRegion = std::size_t{4} << 30;  // address space only; pages come when they are touched

struct Region {
  char* base = nullptr;
  std::size_t used = 0;

  Region() {
    void* p =
        mmap(nullptr, kRegion + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    base = static_cast<char*>(p) + (kHugePage - address % kHugePage) % kHugePage;
    madvise(base, kRegion, MADV_HUGEPAGE);  // advice: where the system does not give them, pages are small
  }
};

Region& region() {
  thread_local Region instance;
  return instance;
}

std::uint64_t environment_number(const char* name, std::uint64_t otherwise) noexcept {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const unsigned long long value = std::strtoull(text, &end, 10);
  return *end == '\0' ? value : otherwise;
}

// SplitMix64: Steele, Lea and Flood, OOPSLA 2014.
std::uint64_t mix(std::uint64_t z) noexcept {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

template <class T>
void fill(std::span<T> out, std::uint64_t salt, T low, T high) {
  const std::uint64_t start = mix(seed() + mix(salt + 1));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double u = static_cast<double>(mix(start + (i + 1) * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
    out[i] = static_cast<T>(low + (high - low) * u);
  }
}

}  // namespace

std::size_t placement_offset(unsigned placement, std::size_t index) noexcept {
  // Distance between neighbouring arrays in lines; each keeps the first eight arrays apart modulo the 64 lines of a
  // page.
  constexpr std::size_t kSpacing[] = {19, 23, 7, 29, 35, 41, 45};
  constexpr std::size_t kLines = kPage / kLine;
  return (index * kSpacing[placement % std::size(kSpacing)] + placement * std::size_t{5}) % kLines * kLine;
}

unsigned placement() noexcept { return static_cast<unsigned>(environment_number("PAWL_PLACEMENT", 0)); }

std::uint64_t seed() noexcept { return environment_number("PAWL_SEED", 42); }

Buffers::Buffers() : begin_(region().used) {}

Buffers::~Buffers() { region().used = begin_; }

void* Buffers::take(std::size_t bytes) {
  Region& r = region();
  const std::size_t start = (r.used + kPage - 1) / kPage * kPage + placement_offset(placement(), count_);
  if (bytes > kRegion || start > kRegion - bytes) throw std::bad_alloc();
  ++count_;
  r.used = start + bytes;
  return r.base + start;
}

std::span<float> Buffers::random_f32(std::size_t n, std::uint64_t salt, float low, float high) {
  const auto out = make<float>(n);
  fill<float>(out, salt, low, high);
  return out;
}

std::span<double> Buffers::random_f64(std::size_t n, std::uint64_t salt, double low, double high) {
  const auto out = make<double>(n);
  fill<double>(out, salt, low, high);
  return out;
}

}  // namespace pawl::bench
