// tcmalloc.cpp -- tcmalloc (gperftools) with sized deallocation.
#include "benches/allocator/loaded.hpp"

namespace pawl::bench {
namespace {

const Registration rows([](Rows& r) {
  add_loaded_rows<void(void*, std::size_t)>(r, "tcmalloc", "libtcmalloc_minimal.so.4", "tc_malloc", "tc_delete_sized");
});

}  // namespace
}  // namespace pawl::bench
