// debug_resource_test.cpp -- each mistake is found, and nothing else is.
#include "pawl/memory/debug_resource.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/model.hpp"

namespace pawl::memory {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Watched {
  std::vector<std::string> lines;
  DebugResource r{[this](const std::string& line) { lines.push_back(line); }, std::pmr::new_delete_resource()};
};

// As a mistake of the program would, past AddressSanitizer.
[[gnu::noinline]]
#if defined(__has_attribute)
#if __has_attribute(no_sanitize_address)
[[gnu::no_sanitize_address]]
#endif
#endif
void scribble(char* p) {
  *const_cast<volatile char*>(p) = 1;
}

TEST(DebugResource, FindsNothingInARightProgram) {
  Watched w;
  run_model(static_cast<std::pmr::memory_resource&>(w.r), kModelOperations / 20, 2000, 256, 100, 1);
  w.r.check();
  EXPECT_TRUE(w.lines.empty()) << w.lines.front();
  EXPECT_EQ(w.r.live_blocks(), 0u);
}

TEST(DebugResource, AsksNobodyForMoreThanAnObjectMayHave) {
  Asked upstream;
  DebugResource r([](const std::string& line) { ADD_FAILURE() << line; }, &upstream);
  const std::size_t all = unforeseen(std::size_t(-1));
  for (std::size_t bytes : {all, all - 128, all - 133, all / 2, all / 2 - 127})
    EXPECT_THROW((void)r.allocate(bytes, 16), std::bad_alloc) << bytes;
  EXPECT_THROW((void)r.allocate(1, all / 2 + 1), std::bad_alloc);
  EXPECT_EQ(upstream.times, 0);
}

TEST(DebugResource, FindsABlockFreedTwiceAndAForeignOne) {
  Watched w;
  void* p = w.r.allocate(100);
  w.r.deallocate(p, 100);
  w.r.deallocate(p, 100);
  int foreign = 0;
  w.r.deallocate(&foreign, 4);
  EXPECT_THAT(w.lines, ElementsAre("a block of 100 (allocation 1) is freed twice", HasSubstr("is no block of this")));
}

TEST(DebugResource, FindsAnotherSizeOrAlignment) {
  Watched w;
  w.r.deallocate(w.r.allocate(100, 16), 101, 16);
  w.r.deallocate(w.r.allocate(100, 16), 100, 32);
  EXPECT_THAT(w.lines, ElementsAre("a block of 100 to 16 (allocation 1) is freed as one of 101 to 16",
                                   "a block of 100 to 16 (allocation 2) is freed as one of 100 to 32"));
}

TEST(DebugResource, FindsWritesBeforeAndBehindABlock) {
  Watched w;
  auto* p = static_cast<char*>(w.r.allocate(100));
  scribble(p + 102);
  w.r.check();
  scribble(p - 1);
  w.r.deallocate(p, 100);
  EXPECT_THAT(w.lines, ElementsAre("byte 102 of a block of 100 (allocation 1) was written",
                                   "bytes before a block of 100 (allocation 1) were overwritten",
                                   "byte 102 of a block of 100 (allocation 1) was written"));
}

TEST(DebugResource, FindsAWriteToEachGuardByteAndEachFreedOne) {
  for (int at = -64; at < 64 + 9; ++at) {
    Watched w;
    auto* p = static_cast<char*>(w.r.allocate(9));
    const bool live = at < 0 || at >= 9;
    if (live) scribble(p + at);
    w.r.deallocate(p, 9);
    if (!live) scribble(p + at);
    w.r.check();
    const std::string byte = "byte " + std::to_string(at) + " of";
    ASSERT_EQ(w.lines.size(), 1U) << at;
    EXPECT_THAT(w.lines[0], at < 0 ? HasSubstr("bytes before") : HasSubstr(byte)) << at;
    w.lines.clear();
  }
}

TEST(DebugResource, FindsWritesAfterFreeEvenWhenTheBlockLeaves) {
  Watched w;
  auto* p = static_cast<char*>(w.r.allocate(100));
  w.r.deallocate(p, 100);
  scribble(p + 50);
  for (int i = 0; i < 20; ++i) w.r.deallocate(w.r.allocate(100'000), 100'000);
  EXPECT_THAT(w.lines, ElementsAre("byte 50 of a block of 100 (allocation 1) was written after it was freed"));
}

TEST(DebugResource, TellsLeaksInOrder) {
  std::vector<std::string> lines;
  {
    DebugResource r([&](const std::string& line) { lines.push_back(line); }, std::pmr::new_delete_resource());
    (void)r.allocate(10);
    r.deallocate(r.allocate(20), 20);
    (void)r.allocate(30);
  }
  EXPECT_THAT(lines,
              ElementsAre("a block of 10 (allocation 1) was not freed", "a block of 30 (allocation 3) was not freed"));
}

TEST(DebugResource, NewBytesAreNotZero) {
  Watched w;
  auto* p = static_cast<unsigned char*>(w.r.allocate(16));
  EXPECT_EQ(p[15], 0xcd);
  w.r.deallocate(p, 16);
}

TEST(DebugResource, SizesThatOverflowAreRefused) {
  Watched w;
  EXPECT_THROW((void)w.r.allocate(unforeseen(std::size_t(-1))), std::bad_alloc);
  EXPECT_THROW((void)w.r.allocate(unforeseen(std::size_t(-1) - 100)), std::bad_alloc);
  EXPECT_EQ(w.r.live_blocks(), 0u);
}

#ifdef PAWL_MEMORY_ASAN
TEST(DebugResource, AddressSanitizerSeesGuardsAndFreedBlocks) {
  Watched w;
  auto* p = static_cast<char*>(w.r.allocate(64));
  EXPECT_TRUE(__asan_address_is_poisoned(p - 1));
  EXPECT_TRUE(__asan_address_is_poisoned(p + 64));
  w.r.deallocate(p, 64);
  EXPECT_TRUE(__asan_address_is_poisoned(p));
}
#endif

TEST(DebugResourceDeathTest, WithoutAReporterItAborts) {
  int foreign = 0;
  EXPECT_DEATH(DebugResource().deallocate(&foreign, 4), "pawl::memory: .* no block of this resource");
}

}  // namespace
}  // namespace pawl::memory
