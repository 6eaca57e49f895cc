// glibc.cpp -- glibc's malloc. Opened by name too: malloc in a bench is a hook that counts
// (pawl::malloc_hooks).
#include "benches/allocator/loaded.hpp"

namespace pawl::bench {
namespace {

const Registration rows([](Rows& r) { add_loaded_rows<void(void*)>(r, "glibc", "libc.so.6", "malloc", "free"); });

}  // namespace
}  // namespace pawl::bench
