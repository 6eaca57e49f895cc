// environment.hpp -- what a result needs to be believed: machine, build, commit, seed, as pairs for the JSON context.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace pawl::bench {

/// Keys begin with "pawl_"; what is not known has the value "unknown". docs/benchmarking.md explains each.
std::vector<std::pair<std::string, std::string>> describe_environment();

/// True for a build whose numbers mean nothing: without optimisation, or with sanitizers.
bool is_worthless_build() noexcept;

}  // namespace pawl::bench
