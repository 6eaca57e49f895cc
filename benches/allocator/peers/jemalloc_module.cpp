// jemalloc_module.cpp -- jemalloc under two names of its own, in a shared library that hides all others.
//
// Debian's libjemalloc.so cannot be opened by a running program (its thread-local block is too large), and linking it
// would replace malloc in the whole bench. So its archive is linked into this module, loaded with the program.
#include <cstddef>

extern "C" {
void* malloc(std::size_t);
void sdallocx(void*, std::size_t, int);
[[gnu::visibility("default")]] void* pawl_jemalloc_allocate(std::size_t bytes) { return malloc(bytes); }
[[gnu::visibility("default")]] void pawl_jemalloc_free(void* p, std::size_t bytes) { sdallocx(p, bytes, 0); }
}
