// debug_resource.hpp -- a resource around another that finds what programs do wrong with memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace pawl::memory {

/// Checks every allocation and deallocation that goes through it, for tests and hunts; slow.
///
/// Finds      a block freed twice; one that was never allocated here; one freed with another size or alignment; bytes
///            written before or behind a block (64 guard bytes each, looked at when it is freed, by check() and in the
///            end); bytes written after a block was freed (the last 1 MiB of freed blocks are kept and looked at when
///            they leave); blocks that are alive in the end. New blocks are filled with 0xcd, freed ones with 0xdd.
///            With AddressSanitizer guards and freed blocks are poisoned, so that the access itself is reported.
/// Reports    one line each to `report`; without one they go to stderr and the program aborts.
/// Threads    all members may be called by any thread; `report` is called under the lock.
/// Errors     std::bad_alloc as upstream, and if a block and its guards are above PTRDIFF_MAX bytes.
///            A block that must not be freed is reported and left alone.
class DebugResource final : public std::pmr::memory_resource {
 public:
  using Report = std::function<void(const std::string& line)>;

  explicit DebugResource(Report report = {}, std::pmr::memory_resource* upstream = std::pmr::get_default_resource());
  /// Checks everything and reports leaks, each with its size and number of allocation; their memory goes upstream.
  ~DebugResource() override;
  DebugResource(const DebugResource&) = delete;
  DebugResource& operator=(const DebugResource&) = delete;

  /// Looks at the guards of all blocks and at the freed ones that are kept.
  void check();
  std::size_t live_blocks() const;

 private:
  struct Block {
    std::size_t bytes, alignment;
    std::uint64_t number;  // of the allocation, from 1
  };
  struct Freed {
    char* p;
    Block block;
  };
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  void tell(const std::string& line) const;
  void check_guards(const char* p, const Block& block) const;
  void check_freed(const Freed& freed) const;
  void give_back(char* p, const Block& block);
  void forget_oldest();

  mutable std::mutex mutex_;
  Report report_;
  std::pmr::memory_resource* upstream_;
  std::unordered_map<void*, Block> live_;
  std::vector<Freed> freed_;  // oldest first
  std::size_t freed_bytes_ = 0;
  std::uint64_t allocations_ = 0;
};

}  // namespace pawl::memory
