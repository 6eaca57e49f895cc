// call_slots_library.cpp -- a shared library that calls functions of libc: through its linkage table, by their
// addresses in its offset table and in its data. Built twice: bound when called (lazy), and when loaded, read-only then
// (now).
#include <unistd.h>

#include <cstdlib>

namespace {
void (*volatile g_table[])(void*) = {std::free};
}

extern "C" {
int slots_test_parent() { return getppid(); }
void* slots_test_allocate(std::size_t bytes) { return std::malloc(bytes); }
void slots_test_free(void* p) { std::free(p); }
void slots_test_free_by_table(void* p) { g_table[0](p); }
void* slots_test_address_of_free() { return reinterpret_cast<void*>(&std::free); }
void* slots_test_free_in_table() { return reinterpret_cast<void*>(g_table[0]); }
}
