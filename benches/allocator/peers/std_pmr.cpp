// std_pmr.cpp -- the pools of the standard library.
#include <memory_resource>

#include "benches/allocator/allocator_rows.hpp"

namespace pawl::bench {
namespace {

struct Pool {
  std::pmr::memory_resource* resource;
  void* allocate(std::size_t bytes) { return resource->allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { resource->deallocate(p, bytes); }
};

const Registration rows([](Rows& r) {
  if (r.quick()) return;
  static std::pmr::unsynchronized_pool_resource pool;
  static std::pmr::synchronized_pool_resource locked;
  add_allocator_rows(r, "std-pool", Pool{&pool}, false, false);
  add_allocator_rows(r, "std-locked-pool", Pool{&locked}, true, false);
});

}  // namespace
}  // namespace pawl::bench
