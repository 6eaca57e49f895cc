// executable_build.hpp -- how the executable on our main was built, where that is another project's.
#pragma once

namespace pawl::bench {

struct ExecutableBuild {
  const char* type;      ///< Release, Debug, ...
  const char* compiler;  ///< "GNU 12.2.0"
  bool worthless;        ///< without optimisation, or with sanitizers
};

/// Defined by executable_build.cpp, which pawl::bench_main brings into the targets of other projects; null elsewhere.
/// Weak in each place, so that none and several are both right.
[[gnu::weak]] ExecutableBuild executable_build() noexcept;

}  // namespace pawl::bench
