// mimalloc.cpp -- mimalloc with sized deallocation.
#include "benches/allocator/loaded.hpp"

namespace pawl::bench {
namespace {

const Registration rows([](Rows& r) {
  add_loaded_rows<void(void*, std::size_t)>(r, "mimalloc", "libmimalloc.so.2", "mi_malloc", "mi_free_size");
});

}  // namespace
}  // namespace pawl::bench
