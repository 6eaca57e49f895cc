// opened.hpp -- the name of a variant of call_slots_library.cpp -> its functions.
#pragma once
#include <dlfcn.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace pawl::memory {

class Opened {
 public:
  explicit Opened(const std::string& variant)
      : handle_(dlopen((PAWL_TEST_LIBRARIES "/libcall_slots_" + variant + ".so").c_str(),
                       (variant == "lazy" ? RTLD_LAZY : RTLD_NOW) | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
    find(parent, "slots_test_parent");
    find(allocate, "slots_test_allocate");
    find(free, "slots_test_free");
    find(free_by_table, "slots_test_free_by_table");
    find(address_of_free, "slots_test_address_of_free");
    find(free_in_table, "slots_test_free_in_table");
  }
  ~Opened() { dlclose(handle_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  int (*parent)();
  void* (*allocate)(std::size_t);
  void (*free)(void*);
  void (*free_by_table)(void*);
  void* (*address_of_free)();
  void* (*free_in_table)();

 private:
  template <class F>
  void find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(handle_, name));
    if (function == nullptr) throw std::runtime_error(dlerror());
  }
  void* handle_;
};

}  // namespace pawl::memory
