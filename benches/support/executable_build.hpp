// executable_build.hpp -- how the executable on our main was built, where that is another project's.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PAWL_BUILD_SANITIZED
#elif defined(__has_feature)  // clang's way to tell
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PAWL_BUILD_SANITIZED
#endif
#endif

namespace pawl::bench {

/// Whether the file that includes this is compiled with flags that make times worthless.
#if !defined(__OPTIMIZE__) || defined(PAWL_BUILD_SANITIZED)
static constexpr bool kWorthlessFlags = true;
#else
static constexpr bool kWorthlessFlags = false;
#endif

struct ExecutableBuild {
  const char* type;      ///< Release, Debug, ...
  const char* compiler;  ///< "GNU 12.2.0"
  bool worthless;        ///< without optimisation, or with sanitizers
};

/// Defined by executable_build.cpp, which pawl::bench_main brings into the targets of other projects; null elsewhere.
/// Weak in each place, so that none and several are both right.
[[gnu::weak]] ExecutableBuild executable_build() noexcept;

}  // namespace pawl::bench
