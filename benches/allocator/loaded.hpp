// loaded.hpp -- an allocator out of a shared library that is opened by name, so that none replaces another.
#pragma once
#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "allocator_rows.hpp"

namespace pawl::bench {

/// `Give` is void(void*), or void(void*, std::size_t) where blocks can be freed with their size.
template <class Give>
struct Loaded {
  void* (*take)(std::size_t);
  Give* give;
  void* allocate(std::size_t bytes) { return take(bytes); }
  void deallocate(void* p, std::size_t bytes) {
    if constexpr (std::is_invocable_v<Give, void*, std::size_t>)
      give(p, bytes);
    else
      give(p);
  }
};

/// Adds nothing if the library or a function is missing.
template <class Give>
void add_loaded_rows(Rows& rows, const std::string& impl, const char* library, const char* take, const char* give) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return;
  const Loaded<Give> loaded{reinterpret_cast<void* (*)(std::size_t)>(dlsym(handle, take)),
                            reinterpret_cast<Give*>(dlsym(handle, give))};
  if (loaded.take != nullptr && loaded.give != nullptr) add_allocator_rows(rows, impl, loaded);
}

}  // namespace pawl::bench
