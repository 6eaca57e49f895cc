// malloc_hooks.cpp -- malloc and its relatives, replaced by ones that tell observers. operator new ends in malloc.
#include "pawl/memory/malloc_hooks.hpp"

#include <cstddef>

#include "pawl/memory/observer.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAWL_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAWL_SANITIZED 1
#endif
#endif

#if defined(PAWL_SANITIZED)

// The sanitizers' own interface (sanitizer/allocator_interface.h, which g++ 12 does not bring along).
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names are theirs
int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                              void (*free_hook)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* p);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace pawl::memory {
namespace {

// What tells has a name that describe_calls() knows: debug information has it without its namespace.
void pawl_told_allocated(const volatile void* p, std::size_t bytes) {
  if (observed()) tell_allocated(const_cast<const void*>(p), bytes);
}

void pawl_told_freed(const volatile void* p) {
  if (observed()) tell_freed(const_cast<const void*>(p), p == nullptr ? 0 : __sanitizer_get_allocated_size(p));
}

}  // namespace

bool malloc_hooks_present() noexcept {
  static const bool installed = __sanitizer_install_malloc_and_free_hooks(pawl_told_allocated, pawl_told_freed) > 0;
  return installed;
}

}  // namespace pawl::memory

#elif defined(__GLIBC__)
#include <malloc.h>

#include <cerrno>

namespace pawl::memory {
namespace {

// What tells has a name that describe_calls() knows: debug information has it without its namespace.
[[gnu::noinline]] void* pawl_told_allocated(void* p) noexcept {
  if (observed()) tell_allocated(p, malloc_usable_size(p));
  return p;
}

[[gnu::noinline]] void pawl_told_freed(void* p) noexcept {
  if (observed()) tell_freed(p, malloc_usable_size(p));
}

}  // namespace

bool malloc_hooks_present() noexcept { return true; }

}  // namespace pawl::memory

// glibc's own functions under the names that it keeps for replacements such as these (manual, "Replacing malloc").
using pawl::memory::observed;
using pawl::memory::pawl_told_allocated;
using pawl::memory::pawl_told_freed;

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): the names are glibc's
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* __libc_valloc(std::size_t);
void* __libc_pvalloc(std::size_t);
void __libc_free(void*);
// NOLINTEND(bugprone-reserved-identifier)

// Nobody observes, nearly always: then each is a load, a comparison and a jump to glibc's, without a frame of its own.
void* malloc(std::size_t n) {
  if (!observed()) [[likely]]
    return __libc_malloc(n);
  return pawl_told_allocated(__libc_malloc(n));
}
void* calloc(std::size_t n, std::size_t size) {
  if (!observed()) [[likely]]
    return __libc_calloc(n, size);
  return pawl_told_allocated(__libc_calloc(n, size));
}
void* realloc(void* p, std::size_t n) {
  if (!observed()) [[likely]]
    return __libc_realloc(p, n);
  pawl_told_freed(p);  // before: its address may be another thread's as soon as it is free
  void* const moved = __libc_realloc(p, n);
  if (moved == nullptr && n != 0) pawl_told_allocated(p);  // there was no memory, and the block lives on
  return pawl_told_allocated(moved);
}
void* memalign(std::size_t alignment, std::size_t n) {
  if (!observed()) [[likely]]
    return __libc_memalign(alignment, n);
  return pawl_told_allocated(__libc_memalign(alignment, n));
}
void* aligned_alloc(std::size_t alignment, std::size_t n) { return memalign(alignment, n); }
void* valloc(std::size_t n) { return pawl_told_allocated(__libc_valloc(n)); }
void* pvalloc(std::size_t n) { return pawl_told_allocated(__libc_pvalloc(n)); }
int posix_memalign(void** out, std::size_t alignment, std::size_t n) {
  if (alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
  const int before = errno;  // which posix_memalign leaves alone
  void* const p = memalign(alignment, n);
  if (p == nullptr) {
    errno = before;
    return ENOMEM;
  }
  *out = p;
  return 0;
}
void free(void* p) {
  if (observed()) [[unlikely]]
    pawl_told_freed(p);
  __libc_free(p);
}
}

#else

bool pawl::memory::malloc_hooks_present() noexcept { return false; }

#endif
