// profiled_resource.hpp -- a resource around another whose blocks observers hear of.
#pragma once
#include <cstddef>
#include <memory_resource>

#include "pawl/memory/observer.hpp"

namespace pawl::memory {

/// For an arena, a pool or another resource whose blocks are not malloc's one by one. CachingResource tells by itself.
///
/// Threads    as upstream.
/// Cost       a virtual call more; while nobody observes, one load.
/// Errors     as upstream. What dies without deallocate(), as by MonotonicArena::rewind(), counts as alive.
class ProfiledResource final : public std::pmr::memory_resource {
 public:
  explicit ProfiledResource(std::pmr::memory_resource* upstream) noexcept : upstream_(upstream) {}
  std::pmr::memory_resource* upstream() const noexcept { return upstream_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const p = upstream_->allocate(bytes, alignment);
    if (observed()) tell_allocated(p, bytes);
    return p;
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    if (observed()) tell_freed(p, bytes);
    upstream_->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::pmr::memory_resource* upstream_;
};

}  // namespace pawl::memory
