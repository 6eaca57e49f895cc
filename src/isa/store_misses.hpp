// store_misses.hpp -- CPUID -> whether stores at random places are worth being asked for ahead.
#pragma once
#include <cstddef>

namespace pawl::detail {

/// True on CPUs of Intel: stores leave in their order, so that one whose line is not in L1 keeps those behind it, and
/// scattered ones take as long as L2 or L3 takes for each line. Not measured on CPUs of AMD, which take 1.9 ns for the
/// two stores of an entry into L2 where an Emerald Rapids took 4.9 (`docs/measurements/sparse.md`). False until this
/// library's objects are initialised: both ways give the same. Tests set it.
extern bool stores_wait_for_lines;

/// How many scattered elements ahead their lines are asked for: on an Emerald Rapids 8 to 32 are level, 64 are slower
/// where lines are in L2.
inline constexpr std::size_t kStoresAhead = 16;

}  // namespace pawl::detail
