// malloc_hooks.cpp -- malloc and its relatives, called by way of functions that tell observers as long as there are
// some. operator new ends in malloc.
#include "pawl/memory/malloc_hooks.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

#include "memory_profiler/call_slots.hpp"
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

#elif defined(PAWL_HAS_CALL_SLOTS)
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <atomic>
#include <mutex>

#include "memory/spin_lock.hpp"
#include "memory_profiler/observers_changed.hpp"

namespace pawl::memory {
namespace {

// The process's own functions: glibc's, or those of an allocator that was preloaded. Never called by name here, since
// the slots of this object lead to the functions below.
struct {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*valloc)(std::size_t);
  void* (*pvalloc)(std::size_t);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void (*free)(void*);
  std::size_t (*malloc_usable_size)(void*);
} real;

// What tells has a name that describe_calls() knows: debug information has it without its namespace.
// Nobody may observe any more: a call may have begun before, or come by a pointer that was taken then.
void* pawl_told_allocated(void* p) {
  if (observed() && p != nullptr) tell_allocated(p, real.malloc_usable_size(p));
  return p;
}
void pawl_told_freed(void* p) {
  if (observed() && p != nullptr) tell_freed(p, real.malloc_usable_size(p));
}

void* pawl_told_malloc(std::size_t n) { return pawl_told_allocated(real.malloc(n)); }
void* pawl_told_calloc(std::size_t n, std::size_t size) { return pawl_told_allocated(real.calloc(n, size)); }
void* pawl_told_realloc(void* p, std::size_t n) {
  pawl_told_freed(p);  // before: its address may be another thread's as soon as it is free
  void* const moved = real.realloc(p, n);
  if (moved == nullptr && n != 0) pawl_told_allocated(p);  // there was no memory, and the block lives on
  return pawl_told_allocated(moved);
}
void* pawl_told_memalign(std::size_t alignment, std::size_t n) {
  return pawl_told_allocated(real.memalign(alignment, n));
}
void* pawl_told_aligned_alloc(std::size_t alignment, std::size_t n) {
  return pawl_told_allocated(real.aligned_alloc(alignment, n));
}
void* pawl_told_valloc(std::size_t n) { return pawl_told_allocated(real.valloc(n)); }
void* pawl_told_pvalloc(std::size_t n) { return pawl_told_allocated(real.pvalloc(n)); }
int pawl_told_posix_memalign(void** out, std::size_t alignment, std::size_t n) {
  const int error = real.posix_memalign(out, alignment, n);
  if (error == 0) pawl_told_allocated(*out);
  return error;
}
void pawl_told_free(void* p) {
  pawl_told_freed(p);
  real.free(p);
}

// What calls of `name` lead to. A program at a fixed address that takes the address of malloc stands in for it with an
// entry of its own linkage table, whose symbol is not defined: then it is the next one.
void* find(const char* name) noexcept {
  void* const found = dlsym(RTLD_DEFAULT, name);
  Dl_info info;
  void* symbol = nullptr;
  if (found != nullptr && dladdr1(found, &info, &symbol, RTLD_DL_SYMENT) != 0 && symbol != nullptr &&
      static_cast<const ElfW(Sym)*>(symbol)->st_shndx == SHN_UNDEF)
    return dlsym(RTLD_NEXT, name);
  return found;
}

constinit std::array<Redirection, 9> g_redirections{};

bool find_all() noexcept {
  std::size_t n = 0;
  const auto redirect = [&n]<class F>(const char* name, F*& function, F* telling) {
    function = reinterpret_cast<F*>(find(name));
    g_redirections[n++] = {name, reinterpret_cast<std::uintptr_t>(function), reinterpret_cast<std::uintptr_t>(telling)};
    return function != nullptr;
  };
  real.malloc_usable_size = reinterpret_cast<std::size_t (*)(void*)>(find("malloc_usable_size"));
  return real.malloc_usable_size != nullptr && redirect("malloc", real.malloc, pawl_told_malloc) &&
         redirect("calloc", real.calloc, pawl_told_calloc) && redirect("realloc", real.realloc, pawl_told_realloc) &&
         redirect("memalign", real.memalign, pawl_told_memalign) &&
         redirect("aligned_alloc", real.aligned_alloc, pawl_told_aligned_alloc) &&
         redirect("valloc", real.valloc, pawl_told_valloc) && redirect("pvalloc", real.pvalloc, pawl_told_pvalloc) &&
         redirect("posix_memalign", real.posix_memalign, pawl_told_posix_memalign) &&
         redirect("free", real.free, pawl_told_free);
}

constinit CallSlots g_slots;
constinit SpinLock g_lock;                     // of the slots and of all walks over the objects; held over fork()
constinit std::atomic<bool> g_refused{false};  // the last time

void follow_observers() noexcept {
  for (Redirected result = Redirected::loader_is_busy; result == Redirected::loader_is_busy;) {
    std::uint64_t loads = 0;
    {
      const std::lock_guard lock(g_lock);
      if (observed() == g_slots.redirected()) return;
      loads = CallSlots::loads();
    }
    CallSlots::wait_for_loads();
    const std::lock_guard lock(g_lock);
    if (observed() == g_slots.redirected()) return;
    if (!observed()) {
      g_slots.restore();
      return;
    }
    result = g_slots.redirect(g_redirections, loads);
    g_refused = result == Redirected::refused;
  }
}

// A trial says whether this thread's malloc and free are heard.
[[gnu::tls_model("initial-exec")]] constinit thread_local int calls_heard = 0;
void hear(const void*, std::size_t) noexcept { ++calls_heard; }
constexpr AllocationObserver kTrial{hear, hear};

bool trial() noexcept {
  if (!add_observer(kTrial)) return false;
  calls_heard = 0;
  void* p = std::malloc(1);
  asm volatile("" : : "r"(p) : "memory");  // or the compiler drops both calls
  std::free(p);
  remove_observer(kTrial);
  return calls_heard == 2;
}

bool set_up() noexcept {
  // The child of a fork() has no thread that would release the lock.
  if (!find_all() || pthread_atfork([] { g_lock.lock(); }, [] { g_lock.unlock(); }, [] { g_lock.unlock(); }) != 0 ||
      !on_observers_changed(follow_observers))
    return false;
  follow_observers();
  if (trial()) return true;
  on_observers_changed(nullptr);
  const std::lock_guard lock(g_lock);
  g_slots.restore();
  return false;
}

}  // namespace

bool malloc_hooks_present() noexcept {
  static const bool works = set_up();
  return works && !g_refused;
}

}  // namespace pawl::memory

#else

bool pawl::memory::malloc_hooks_present() noexcept { return false; }

#endif
