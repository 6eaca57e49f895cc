// environment_test.cpp -- what the environment says of the process's own resource, each in a process of its own.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "pawl/memory/caching_resource.hpp"

namespace pawl::memory {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

/// Whether huge pages were asked for where `p` is, as the kernel tells.
bool asked_for_huge_pages(const void* p) {
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2)
      here = begin <= reinterpret_cast<std::uintptr_t>(p) && reinterpret_cast<std::uintptr_t>(p) < end;
    else if (here && line.starts_with("VmFlags:"))
      return line.find(" hg") != std::string::npos;
  }
  return false;
}

bool the_system_has_huge_pages() { return std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled").good(); }

[[noreturn]] void exit_with_huge_pages() {
  constexpr std::size_t kBytes = 48 * kMiB;
  void* const block = caching_resource().allocate(kBytes);
  const bool asked = asked_for_huge_pages(static_cast<char*>(block) + kBytes / 2);
  caching_resource().deallocate(block, kBytes);
  std::exit(asked ? 1 : 0);
}

[[noreturn]] void exit_with_what_is_to_be_had() {
  int served = 0;
  try {
    for (; served < 100; ++served) (void)caching_resource().allocate(kMiB);
  } catch (const std::bad_alloc&) {
  }
  std::exit(served >= 12 && served <= 16 ? 0 : 1);
}

// malloc knows its own blocks; of an address inside one of ours it would read whatever stands before it.
[[noreturn]] void exit_with_blocks_of_malloc() {
  CachingResource& resource = caching_resource();
  bool right = true;
  std::vector<std::pair<void*, std::pair<std::size_t, std::size_t>>> blocks;
  std::size_t live = 0;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{100}, 5 * kMiB / 1024, kMiB, 65 * kMiB})
    for (const std::size_t alignment : {std::size_t{16}, std::size_t{64}, std::size_t{4096}, 2 * kMiB}) {
      auto* const p = static_cast<char*>(resource.allocate(bytes, alignment));
      right = right && reinterpret_cast<std::uintptr_t>(p) % alignment == 0 && malloc_usable_size(p) >= bytes &&
              malloc_usable_size(p) < bytes + 2 * alignment + 4096;
      if (bytes > 0) p[0] = p[bytes - 1] = 1;
      live += bytes;
      blocks.push_back({p, {bytes, alignment}});
    }
  right = right && resource.statistics().live_bytes == live;
  try {
    (void)resource.allocate(SIZE_MAX - 100, 64);
    right = false;
  } catch (const std::bad_alloc&) {
  }
  for (const auto& [p, what] : blocks) resource.deallocate(p, what.first, what.second);
  resource.deallocate(nullptr, 100);
  right = right && resource.statistics().live_bytes == 0;
  std::exit(right ? 0 : 1);
}

class Environment : public ::testing::Test {
 protected:
  // "fast" would go on in a process that may have made the resource already.
  Environment() { ::testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
  ~Environment() override {
    unsetenv("PAWL_MEMORY_LIMIT");
    unsetenv("PAWL_MEMORY_HUGE_PAGES");
    unsetenv("PAWL_MEMORY_MALLOC");
  }
};

using EnvironmentDeathTest = Environment;

TEST_F(EnvironmentDeathTest, LimitsWhatIsReserved) {
  setenv("PAWL_MEMORY_LIMIT", "16777216", 1);
  EXPECT_EXIT(exit_with_what_is_to_be_had(), ::testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, TakesHugePagesUnlessItIsTold) {
  setenv("PAWL_MEMORY_HUGE_PAGES", "0", 1);
  EXPECT_EXIT(exit_with_huge_pages(), ::testing::ExitedWithCode(0), "");
  if (!the_system_has_huge_pages()) GTEST_SKIP() << "the kernel has no transparent huge pages";
  setenv("PAWL_MEMORY_HUGE_PAGES", "1", 1);
  EXPECT_EXIT(exit_with_huge_pages(), ::testing::ExitedWithCode(1), "");
  unsetenv("PAWL_MEMORY_HUGE_PAGES");
  EXPECT_EXIT(exit_with_huge_pages(), ::testing::ExitedWithCode(1), "");
}

TEST_F(EnvironmentDeathTest, TakesBlocksFromMallocIfItIsTold) {
  setenv("PAWL_MEMORY_MALLOC", "1", 1);
  EXPECT_EXIT(exit_with_blocks_of_malloc(), ::testing::ExitedWithCode(0), "");
}

TEST_F(EnvironmentDeathTest, RefusesWhatItDoesNotKnow) {
  for (const char* const limit : {"0", "-5", "12MB", "x", " 8", "99999999999999999999999"}) {
    setenv("PAWL_MEMORY_LIMIT", limit, 1);
    EXPECT_EXIT(caching_resource(), ::testing::ExitedWithCode(2), "PAWL_MEMORY_LIMIT is '.*'; it takes bytes") << limit;
  }
  unsetenv("PAWL_MEMORY_LIMIT");
  for (const char* const pages : {"2", "yes", "01"}) {
    setenv("PAWL_MEMORY_HUGE_PAGES", pages, 1);
    EXPECT_EXIT(caching_resource(), ::testing::ExitedWithCode(2), "PAWL_MEMORY_HUGE_PAGES is '.*'; it takes 0 or 1")
        << pages;
  }
  unsetenv("PAWL_MEMORY_HUGE_PAGES");
  setenv("PAWL_MEMORY_MALLOC", "on", 1);
  EXPECT_EXIT(caching_resource(), ::testing::ExitedWithCode(2), "PAWL_MEMORY_MALLOC is 'on'; it takes 0 or 1");
}

}  // namespace
}  // namespace pawl::memory
