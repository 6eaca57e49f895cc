// page_heap_test.cpp -- runs of pages while the system refuses what they ask of it: what lives stays, the books agree.
#include "memory/page_heap.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace pawl::memory {
namespace {

constexpr std::size_t kHugePages = kHugePage / kPageBytes;

/// Which of the next calls of each kind are refused, by bits from the lowest on.
struct Refusals {
  std::uint64_t protect = 0, advise = 0, move = 0;
  int move_error = EFAULT;
  std::size_t moves = 0, moved = 0, given_back = 0;  // calls; bytes
};
Refusals g_refused;

bool refuses(std::uint64_t& bits) {
  const bool refused = (bits & 1) != 0;
  bits >>= 1;
  return refused;
}

int protect_unless_refused(void* start, std::size_t bytes, int protection) noexcept {
  if (!refuses(g_refused.protect)) return kSystemMemory.protect(start, bytes, protection);
  errno = ENOMEM;
  return -1;
}

int advise_unless_refused(void* start, std::size_t bytes, int advice) noexcept {
  if (advice != MADV_DONTNEED) return kSystemMemory.advise(start, bytes, advice);
  if (refuses(g_refused.advise)) {
    errno = EINVAL;
    return -1;
  }
  g_refused.given_back += bytes;
  return kSystemMemory.advise(start, bytes, advice);
}

void* move_unless_refused(void* from, std::size_t bytes, void* to) noexcept {
  ++g_refused.moves;
  if (refuses(g_refused.move)) {
    munmap(to, bytes);  // as Linux may
    errno = g_refused.move_error;
    return MAP_FAILED;
  }
  void* const there = kSystemMemory.move(from, bytes, to);
  if (there != MAP_FAILED) g_refused.moved += bytes;
  return there;
}

constexpr SystemMemory kRefusing = {nullptr, protect_unless_refused, advise_unless_refused, move_unless_refused};

SystemMemory refusing_system() {
  SystemMemory system = kRefusing;
  system.map = kSystemMemory.map;
  return system;
}

bool the_system_moves_pages() {
  void* const from = mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (from == MAP_FAILED) return false;
  const bool moves = kSystemMemory.move(from, kPageBytes, static_cast<char*>(from) + kPageBytes) != MAP_FAILED;
  munmap(from, 2 * kPageBytes);
  return moves;
}

/// Blocks of a heap that hold their number in each page.
class Blocks {
 public:
  Blocks(std::size_t limit_bytes, std::size_t retained_bytes)
      : system_(refusing_system()), heap_(limit_bytes, retained_bytes, true, system_) {
    g_refused = {};
  }

  PageHeap& heap() { return heap_; }
  std::size_t count() const { return blocks_.size(); }

  /// False if there is no memory for it.
  bool add(std::size_t pages, std::size_t alignment = 1, bool small = false) {
    Span* s = heap_.take(pages, alignment, small);
    if (s == nullptr && heap_.grow(pages, alignment, small)) s = heap_.take(pages, alignment, small);
    if (s == nullptr) return false;
    EXPECT_EQ(s->pages, pages);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(heap_.address(s)) / kPageBytes % alignment, 0U);
    blocks_.push_back({s, ++marks_});
    for (std::size_t i = 0; i < pages; ++i) std::memcpy(page(s, i), &marks_, sizeof marks_);
    return true;
  }
  void drop(std::size_t index) {
    EXPECT_TRUE(holds(blocks_[index])) << "block " << index;
    heap_.give(blocks_[index].span);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  bool all_hold() const {
    return std::ranges::all_of(blocks_, [&](const Block& b) { return holds(b); });
  }

 private:
  struct Block {
    Span* span;
    std::uint64_t mark;
  };
  char* page(const Span* s, std::size_t i) const { return static_cast<char*>(heap_.address(s)) + i * kPageBytes; }
  bool holds(const Block& b) const {
    for (std::size_t i = 0; i < b.span->pages; ++i)
      if (std::memcmp(page(b.span, i), &b.mark, sizeof b.mark) != 0) return false;
    return true;
  }

  SystemMemory system_;
  PageHeap heap_;
  std::vector<Block> blocks_;
  std::uint64_t marks_ = 0;
};

// Nine blocks of four huge pages, every other one free: no run is long enough for seven.
void make_holes(Blocks& blocks) {
  for (int k = 0; k < 9; ++k) ASSERT_TRUE(blocks.add(4 * kHugePages));
  for (std::size_t k = 1; k <= 4; ++k) blocks.drop(k);
}

TEST(PageHeap, TakesNewPagesWhereTheSystemMovesNone) {
  for (const int error : {EFAULT, ENOMEM, EINVAL}) {
    Blocks blocks(0, std::size_t{1} << 30);
    make_holes(blocks);
    g_refused.move = ~std::uint64_t{0};
    g_refused.move_error = error;
    ASSERT_TRUE(blocks.add(7 * kHugePages));
    EXPECT_GT(g_refused.moves, 0U);
    EXPECT_EQ(g_refused.moved, 0U);
    EXPECT_TRUE(blocks.all_hold());
    EXPECT_TRUE(blocks.heap().is_consistent());
    if (error != EFAULT) {
      const std::size_t asked = g_refused.moves;
      ASSERT_TRUE(blocks.add(7 * kHugePages));
      EXPECT_EQ(g_refused.moves, asked) << "it refuses once and for all";
    }
    while (blocks.count() > 0) blocks.drop(0);
    EXPECT_TRUE(blocks.heap().is_consistent());
  }
}

TEST(PageHeap, GoesOnWhereTheSystemMovesSomeOfThePages) {
  if (!the_system_moves_pages()) GTEST_SKIP() << "mremap() with MREMAP_DONTUNMAP needs Linux 5.7";
  for (std::uint64_t refused = 0; refused < 64; ++refused) {
    Blocks blocks(0, std::size_t{1} << 30);
    make_holes(blocks);
    g_refused.move = refused;
    ASSERT_TRUE(blocks.add(7 * kHugePages));
    ASSERT_TRUE(blocks.all_hold()) << refused;
    ASSERT_TRUE(blocks.heap().is_consistent()) << refused;
    ASSERT_LE(blocks.heap().reserved_bytes(), blocks.heap().peak_reserved_bytes()) << refused;
    while (blocks.count() > 0) blocks.drop(blocks.count() - 1);
    blocks.heap().release_all();
    ASSERT_EQ(blocks.heap().reserved_bytes(), 0U) << refused;
    ASSERT_TRUE(blocks.heap().is_consistent()) << refused;
  }
}

// Pages that would go to the system, and come again as new ones, are moved: those of holes without a huge page too.
TEST(PageHeap, MovesPiecesOfHolesThatHoldNoHugePage) {
  if (!the_system_moves_pages()) GTEST_SKIP() << "mremap() with MREMAP_DONTUNMAP needs Linux 5.7";
  constexpr std::size_t kPages = 300, kBlocks = 40;
  Blocks blocks(0, std::size_t{1} << 30);
  for (std::size_t k = 0; k < kBlocks; ++k) ASSERT_TRUE(blocks.add(kPages));
  for (std::size_t k = 0; k < kBlocks / 2; ++k) blocks.drop(k);
  const std::size_t given_back = g_refused.given_back;
  for (int k = 0; k < 7; ++k) {
    ASSERT_TRUE(blocks.add(kPages * 3 / 2));
    ASSERT_TRUE(blocks.all_hold());
    ASSERT_TRUE(blocks.heap().is_consistent());
  }
  EXPECT_LE(blocks.heap().reserved_bytes(), kBlocks * kPages * kPageBytes * 5 / 4);
  EXPECT_GT(g_refused.moved, kPages * kPageBytes);
  EXPECT_LT(g_refused.given_back - given_back, g_refused.moved / 2);
}

// Whose pages come again as new ones: a hit that costs as much as a miss would be none.
TEST(PageHeap, CountsPagesThatTheSystemHadBackAsAskedFor) {
  PageHeap heap(0, std::size_t{1} << 30, false);
  ASSERT_TRUE(heap.grow(100));
  heap.give(heap.take(100));
  EXPECT_EQ(heap.growths(), 1U);
  heap.give(heap.take(50));
  EXPECT_EQ(heap.growths(), 1U);
  heap.release_all();
  Span* const s = heap.take(10);
  ASSERT_NE(s, nullptr);
  EXPECT_EQ(heap.growths(), 2U);
  heap.give(s);
  heap.give(heap.take(10));
  EXPECT_EQ(heap.growths(), 2U);
}

TEST(PageHeap, ManyFreePagesOfSlabsServeBlocksAndComeBackToTheirPart) {
  PageHeap heap(0, std::size_t{1} << 30, false);
  const auto take = [&](std::size_t pages, bool small) {
    Span* const s = heap.take(pages, 1, small);
    if (s != nullptr) return s;
    return heap.grow(pages, 1, small) ? heap.take(pages, 1, small) : nullptr;
  };
  Span* const slab = take(96, true);
  ASSERT_NE(slab, nullptr);
  heap.give(slab);
  const std::size_t held = heap.reserved_bytes();
  Span* const block = heap.take(48);
  ASSERT_NE(block, nullptr) << "half of what is free there";
  EXPECT_EQ(heap.take(48), nullptr) << "more than half";
  EXPECT_EQ(heap.reserved_bytes(), held);
  EXPECT_TRUE(heap.is_consistent());
  heap.give(block);
  EXPECT_TRUE(heap.is_consistent());
  EXPECT_NE(heap.take(96, 1, true), nullptr) << "one run again, for slabs";
  EXPECT_EQ(heap.reserved_bytes(), held);
}

TEST(PageHeap, FewFreePagesOfSlabsAreNotLent) {
  PageHeap heap(0, std::size_t{1} << 30, false);
  ASSERT_TRUE(heap.grow(1000, 1, false));
  ASSERT_NE(heap.take(1000), nullptr);
  while (Span* const rest = heap.take(1)) ASSERT_EQ(rest->use, Span::Use::block);  // what growth was rounded up by
  ASSERT_TRUE(heap.grow(64, 1, true));
  Span* const slab = heap.take(64, 1, true);
  ASSERT_NE(slab, nullptr);
  heap.give(slab);
  EXPECT_EQ(heap.take(8), nullptr) << "less than an eighth of the memory";
}

TEST(PageHeap, StaysAsItIsWhereTheSystemRefusesToGrow) {
  for (const bool slabs : {false, true}) {
    Blocks blocks(0, std::size_t{1} << 30);
    ASSERT_TRUE(blocks.add(3 * kHugePages));
    ASSERT_TRUE(blocks.add(kHugePages, 1, slabs));
    blocks.heap().release_all();  // what it grew by beyond these, at its end
    const std::size_t reserved = blocks.heap().reserved_bytes();
    g_refused.protect = 1;
    EXPECT_FALSE(blocks.add(64 * kHugePages, 1, slabs));
    EXPECT_EQ(g_refused.protect, 0U);
    EXPECT_TRUE(blocks.heap().is_consistent());
    EXPECT_LE(blocks.heap().reserved_bytes(), reserved + 2 * kHugePage);
    ASSERT_TRUE(blocks.add(64 * kHugePages, 1, slabs));
    EXPECT_TRUE(blocks.all_hold());
    EXPECT_TRUE(blocks.heap().is_consistent());
  }
}

// Where the range ends in pages that the system has back, a try to grow takes them first, and is refused then. They are
// not new for a later one: by then a block may have them, whose pages others would replace.
TEST(PageHeap, MovesNoPagesToWhereAnEarlierTryWantedThem) {
  if (!the_system_moves_pages()) GTEST_SKIP() << "mremap() with MREMAP_DONTUNMAP needs Linux 5.7";
  for (const bool longest_ever : {true, false}) {
    Blocks blocks(0, std::size_t{1} << 30);
    for (int k = 0; k < 12; ++k) ASSERT_TRUE(blocks.add(4 * kHugePages));
    ASSERT_TRUE(blocks.add(8 * kHugePages));
    blocks.drop(12);
    if (!longest_ever) {
      blocks.drop(1);  // 0 and then 2 to 11 are left
      blocks.drop(2);  // 0, 2, and 4 to 11
    }
    blocks.heap().release_all();
    g_refused.protect = 1;
    ASSERT_FALSE(blocks.add(30 * kHugePages));
    ASSERT_EQ(g_refused.protect, 0U);
    ASSERT_TRUE(blocks.add(8 * kHugePages)) << "of the pages at the end";
    const std::size_t moved = g_refused.moved;
    for (std::size_t k : longest_ever ? std::vector<std::size_t>{1, 2, 3} : std::vector<std::size_t>{1, 3, 5})
      blocks.drop(k);
    // Three runs of four huge pages: of new ones, or of the two runs beside the first of them, which the system has.
    ASSERT_TRUE(blocks.add(5 * kHugePages));
    EXPECT_GT(g_refused.moved, moved);
    EXPECT_TRUE(blocks.all_hold());
    EXPECT_TRUE(blocks.heap().is_consistent());
  }
}

TEST(PageHeap, KeepsPagesThatTheSystemDoesNotTakeBack) {
  Blocks blocks(0, 0);
  ASSERT_TRUE(blocks.add(4 * kHugePages));
  ASSERT_TRUE(blocks.add(4 * kHugePages));
  const std::size_t reserved = blocks.heap().reserved_bytes();
  g_refused.advise = ~std::uint64_t{0};
  blocks.drop(0);
  EXPECT_EQ(blocks.heap().reserved_bytes(), reserved);
  EXPECT_TRUE(blocks.heap().is_consistent());
  g_refused.advise = 0;
  blocks.heap().release_all();
  EXPECT_LE(blocks.heap().reserved_bytes(), reserved - 4 * kHugePage);
  EXPECT_TRUE(blocks.heap().is_consistent());
}

TEST(PageHeap, BlocksKeepWhatIsInThemWhateverTheSystemRefuses) {
  std::mt19937_64 random(3);
  std::size_t moved = 0, refused = 0;
  for (int round = 0; round < 20; ++round) {
    // A few refusals in each 64 calls, of moves mostly; and heaps that are refused nothing.
    const auto bits = [&](int ands) {
      std::uint64_t b = random();
      for (; ands > 0; --ands) b &= random();
      return b;
    };
    Blocks blocks(round % 5 == 4 ? 24 * kHugePage : 0, (random() % 4) * 16 * kHugePage);
    for (int step = 0; step < 150; ++step) {
      if (step % 16 == 0 && round % 8 != 7) {
        g_refused.protect = bits(3);
        g_refused.advise = bits(2);
        g_refused.move = bits(1);
        g_refused.move_error = random() % 40 == 0 ? ENOMEM : EFAULT;
      }
      if (blocks.count() > 10 || (blocks.count() > 0 && random() % 3 == 0)) {
        blocks.drop(random() % blocks.count());
      } else {
        const bool small = random() % 6 == 0;
        const std::size_t pages = 1 + (small ? random() % 64 : random() % (random() % 3 == 0 ? 4000 : 1500));
        const std::size_t alignment = small || random() % 8 != 0 ? 1 : std::size_t{1} << random() % 11;
        refused += blocks.add(pages, alignment, small) ? 0 : 1;
      }
      if (step % 50 == 49) blocks.heap().release_all();
      ASSERT_TRUE(blocks.heap().is_consistent()) << round << ' ' << step;
      ASSERT_TRUE(blocks.all_hold()) << round << ' ' << step;
    }
    moved += g_refused.moved;
    g_refused = {};
    while (blocks.count() > 0) blocks.drop(0);
    blocks.heap().release_all();
    EXPECT_EQ(blocks.heap().reserved_bytes(), 0U) << round;
    EXPECT_TRUE(blocks.heap().is_consistent());
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(moved > 0, the_system_moves_pages());
}

}  // namespace
}  // namespace pawl::memory
