// call_slots_test.cpp -- calls of a function led to another one and back, in libraries bound early and late.
#include "memory_profiler/call_slots.hpp"

#include <gtest/gtest.h>

#include "memory/opened.hpp"

#ifdef PAWL_HAS_CALL_SLOTS
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

namespace {
bool g_refuse = false;
}

// In place of libc's, for this program.
extern "C" int mprotect(void* p, std::size_t bytes, int protection) noexcept {
  return g_refuse ? -1 : static_cast<int>(syscall(SYS_mprotect, p, bytes, protection));
}

namespace pawl::memory {
namespace {

int other_parent() { return -7; }

std::uint64_t settled_loads() {
  const std::uint64_t loads = CallSlots::loads();
  CallSlots::wait_for_loads();
  return loads;
}

template <class F>
std::uintptr_t address(F* function) {
  return reinterpret_cast<std::uintptr_t>(function);
}

// "r--p": the protection of the page at an address.
std::string protection(std::uintptr_t at) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(std::fopen("/proc/self/maps", "r"), std::fclose);
  char line[4096];
  while (maps != nullptr && std::fgets(line, sizeof line, maps.get()) != nullptr) {
    unsigned long begin = 0, end = 0;
    char flags[8];
    if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, flags) == 3 && at >= begin && at < end) return flags;
  }
  return "";
}

// Byte by byte, since AddressSanitizer has areas between variables that nobody may read.
__attribute__((no_sanitize("address"))) std::vector<char> copied(std::uintptr_t from, std::size_t bytes) {
  std::vector<char> copy(bytes);
  const auto* const all = reinterpret_cast<const volatile char*>(from);
  for (std::size_t i = 0; i < bytes; ++i) copy[i] = all[i];
  return copy;
}

// What the loader makes read-only in each object: where it begins, and what it holds.
std::vector<std::pair<std::uintptr_t, std::vector<char>>> read_only_parts() {
  std::vector<std::pair<std::uintptr_t, std::vector<char>>> parts;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_GNU_RELRO) continue;
          const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          static_cast<decltype(parts)*>(to)->emplace_back(begin, copied(begin, segment.p_memsz));
        }
        return 0;
      },
      &parts);
  return parts;
}

class Slots : public ::testing::TestWithParam<const char*> {
 protected:
  ~Slots() override {
    g_refuse = false;
    slots.restore();
  }
  Redirected redirect() { return slots.redirect(parent, settled_loads()); }
  static inline CallSlots slots;  // not on the stack: it is large
  const Redirection parent[1] = {
      {"getppid", reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "getppid")), address(&other_parent)}};
};

TEST_P(Slots, LeadElsewhereAndBackAgainAndAgain) {
  const Opened library(GetParam());
  const int parent_id = static_cast<int>(syscall(SYS_getppid));
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(redirect(), Redirected::yes);
    EXPECT_TRUE(slots.redirected());
    EXPECT_EQ(library.parent(), -7);
    EXPECT_TRUE(slots.restore());
    EXPECT_FALSE(slots.redirected());
    EXPECT_EQ(library.parent(), parent_id);  // binds it, if lazy, in the first round
  }
}

TEST_P(Slots, WhatWasReadOnlyIsSoAgainAndHoldsWhatItHeld) {
  const Opened library(GetParam());
  const auto before = read_only_parts();
  std::vector<std::string> flags;
  for (const auto& part : before) flags.push_back(protection(part.first));
  for (int change = 0; change < 2; ++change) {
    if (change == 0)
      ASSERT_EQ(redirect(), Redirected::yes);
    else
      slots.restore();
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(protection(before[i].first), flags[i]);
  }
  EXPECT_EQ(read_only_parts(), before);
}

TEST_P(Slots, OfFunctionsThatAreNotTheOneStay) {
  const Opened library(GetParam());
  library.parent();  // bound
  const Redirection another[] = {{"getppid", parent[0].from + 1, parent[0].to}};
  EXPECT_EQ(slots.redirect(another, settled_loads()), Redirected::yes);
  EXPECT_NE(library.parent(), -7);
}

TEST_P(Slots, AreAsTheyWereWhileTheLoaderIsBusy) {
  const Opened library(GetParam());
  EXPECT_EQ(slots.redirect(parent, settled_loads() - 1), Redirected::loader_is_busy);
  EXPECT_FALSE(slots.redirected());
  EXPECT_NE(library.parent(), -7);
}

TEST_P(Slots, OfALibraryThatWasClosedAreForgotten) {
  {
    const Opened library(GetParam());
    ASSERT_EQ(redirect(), Redirected::yes);
  }
  EXPECT_TRUE(slots.restore());
  const Opened again(GetParam());
  EXPECT_NE(again.parent(), -7);
}

INSTANTIATE_TEST_SUITE_P(Bound, Slots, ::testing::Values("lazy", "now"),
                         [](const auto& variant) { return std::string(variant.param); });

TEST_F(Slots, AreAllAsTheyWereWhereTheSystemRefuses) {
  const Opened lazy("lazy"), now("now");
  g_refuse = true;
  EXPECT_EQ(redirect(), Redirected::refused);
  g_refuse = false;
  EXPECT_FALSE(slots.redirected());
  EXPECT_NE(lazy.parent(), -7);
  EXPECT_NE(now.parent(), -7);
}

TEST_F(Slots, ThatCannotBeRestoredAreTheNextTime) {
  const Opened now("now");
  ASSERT_EQ(redirect(), Redirected::yes);
  g_refuse = true;
  EXPECT_FALSE(slots.restore());
  g_refuse = false;
  EXPECT_TRUE(slots.restore());
  EXPECT_NE(now.parent(), -7);
}

}  // namespace
}  // namespace pawl::memory
#endif
