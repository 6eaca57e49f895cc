// executable_build.cpp -- compiled as a source of the target that links pawl::bench_main, with its flags: that is what
// it reports.
#include "executable_build.hpp"

#ifndef PAWL_BENCH_BUILD_TYPE  // CMake's configuration, empty if none was chosen
#define PAWL_BENCH_BUILD_TYPE ""
#endif
#define PAWL_TEXT_OF(x) #x
#define PAWL_TEXT(x) PAWL_TEXT_OF(x)
#if defined(__clang__)
#define PAWL_COMPILER \
  "Clang " PAWL_TEXT(__clang_major__) "." PAWL_TEXT(__clang_minor__) "." PAWL_TEXT(__clang_patchlevel__)
#else
#define PAWL_COMPILER "GNU " PAWL_TEXT(__GNUC__) "." PAWL_TEXT(__GNUC_MINOR__) "." PAWL_TEXT(__GNUC_PATCHLEVEL__)
#endif

namespace pawl::bench {

ExecutableBuild executable_build() noexcept {
  ExecutableBuild build = {PAWL_BENCH_BUILD_TYPE, PAWL_COMPILER, kWorthlessFlags};
  if (build.type[0] == '\0') build.type = "none";
  return build;
}

}  // namespace pawl::bench
