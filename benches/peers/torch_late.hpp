// torch_late.hpp -- a member of an implementation's table -> a function that loads libtorch at its first call.
//
// libtorch comes with some 300 further shared libraries: linked to a bench, they would start with every run of every
// row, and OpenBLAS would lend its names to the whole process. So the calls of libtorch are a module of their own
// (torch_*_module.cpp), which is opened locally when the first of its rows runs. A call through here costs one indirect
// call more, beside the microsecond that libtorch needs to dispatch one.
#pragma once
#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <typeinfo>

namespace pawl::bench {

/// The table of that type in the module (its path is the macro PAWL_TORCH_MODULE of the file that includes this).
inline const void* torch_table(const char* module, const std::type_info& type) {
  void* const handle = dlopen(module, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(std::string("the rows of libtorch cannot run: ") + dlerror());
  const auto table = reinterpret_cast<const void* (*)(const std::type_info&)>(dlsym(handle, "pawl_torch_table"));
  const void* const found = table ? table(type) : nullptr;
  if (found == nullptr) throw std::runtime_error(std::string(module) + " has no table " + type.name());
  return found;
}

template <auto Member>
struct Late;

template <class Table, class R, class... A, R (*Table::*Member)(A...)>
struct Late<Member> {
  static R call(A... arguments) {
    static const auto function = static_cast<const Table*>(torch_table(PAWL_TORCH_MODULE, typeid(Table)))->*Member;
    return function(arguments...);
  }
};

template <auto Member>
inline constexpr auto late = Late<Member>::call;

}  // namespace pawl::bench
