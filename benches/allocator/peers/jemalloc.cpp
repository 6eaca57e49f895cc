// jemalloc.cpp -- jemalloc with sized deallocation.
#include "benches/allocator/allocator_rows.hpp"

extern "C" {
void* pawl_jemalloc_allocate(std::size_t bytes);
void pawl_jemalloc_free(void* p, std::size_t bytes);
}

namespace pawl::bench {
namespace {

struct Jemalloc {
  void* allocate(std::size_t bytes) { return pawl_jemalloc_allocate(bytes); }
  void deallocate(void* p, std::size_t bytes) { pawl_jemalloc_free(p, bytes); }
};

const Registration rows([](Rows& r) { add_allocator_rows(r, "jemalloc", Jemalloc{}); });

}  // namespace
}  // namespace pawl::bench
