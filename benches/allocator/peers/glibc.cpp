// glibc.cpp -- glibc's malloc. Opened by name, and called as the others are.
#include "benches/allocator/loaded.hpp"

namespace pawl::bench {
namespace {

const Registration rows([](Rows& r) { add_loaded_rows<void(void*)>(r, "glibc", "libc.so.6", "malloc", "free"); });

}  // namespace
}  // namespace pawl::bench
