// symbols.cpp -- addresses of calls -> names of functions, with file and line where the program has them.
//
// libbacktrace (Ian Lance Taylor's, which GCC ships and its own runtime uses) reads ELF symbol tables and DWARF without
// another process; static functions have names then, and inlined calls their lines. Without it dladdr() knows what is
// exported.
#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "memory_profiler/inside.hpp"
#include "pawl/memory/profiler.hpp"

#ifdef PAWL_HAS_LIBBACKTRACE
#include <backtrace.h>
#endif

namespace pawl::memory {
namespace {

struct Function {
  std::string name, file;
  int line = 0;
};

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

Function exported_function(std::uintptr_t address) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0) return {fmt::format("{:#x}", address), "", 0};
  if (info.dli_sname != nullptr) return {demangled(info.dli_sname), "", 0};
  const std::string_view path = info.dli_fname;
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  return {fmt::format("{}+{:#x}", path.substr(path.find_last_of('/') + 1), address - base), "", 0};
}

#ifdef PAWL_HAS_LIBBACKTRACE
void ignore(void*, const char*, int) {}

int add_function(void* to, std::uintptr_t, const char* file, int line, const char* function) {
  if (function != nullptr)
    static_cast<std::vector<Function>*>(to)->push_back({demangled(function), file != nullptr ? file : "", line});
  return 0;
}

void add_symbol(void* to, std::uintptr_t, const char* name, std::uintptr_t, std::uintptr_t) {
  if (name != nullptr) static_cast<std::vector<Function>*>(to)->push_back({demangled(name), "", 0});
}
#endif

// The function at an address, before it those that were inlined there.
std::vector<Function> functions_at(std::uintptr_t address) {
  std::vector<Function> found;
#ifdef PAWL_HAS_LIBBACKTRACE
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  if (state != nullptr) {
    backtrace_pcinfo(state, address, add_function, ignore, &found);
    if (found.empty()) backtrace_syminfo(state, address, add_symbol, ignore, &found);
  }
#endif
  if (found.empty()) found.push_back(exported_function(address));
  return found;
}

// What lies between the program's call and the observer.
bool belongs_to_allocators(std::string_view name) {
  static constexpr std::string_view kBeginnings[] = {"operator new",
                                                     "malloc",
                                                     "calloc",
                                                     "realloc",
                                                     "memalign",
                                                     "aligned_alloc",
                                                     "pawl_told_",
                                                     "posix_memalign",
                                                     "pawl::memory::",
                                                     "std::pmr::",
                                                     "std::allocator",
                                                     "__sanitizer",
                                                     "__interceptor_",
                                                     "__asan::",
                                                     "std::__new_allocator",
                                                     "__gnu_cxx::new_allocator"};
  // A template's name is preceded by what it returns.
  const std::string_view bare = name.substr(0, name.find('('));
  const std::size_t blank = bare.find(' ');
  return std::ranges::any_of(kBeginnings, [&](std::string_view beginning) {
    return name.starts_with(beginning) ||
           (blank != std::string_view::npos && bare.substr(blank + 1).starts_with(beginning));
  });
}

}  // namespace

std::vector<std::string> describe_calls(std::span<const std::uintptr_t> calls) {
  const Inside inside;
  std::vector<std::string> lines;
  for (const std::uintptr_t call : calls)
    for (const Function& function : functions_at(call)) {
      if (lines.empty() && belongs_to_allocators(function.name)) continue;
      lines.push_back(function.line > 0 ? fmt::format("{} at {}:{}", function.name, function.file, function.line)
                                        : function.name);
    }
  return lines;
}

}  // namespace pawl::memory
