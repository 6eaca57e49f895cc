// core_distance.hpp -- CPUID -> how soon what one core has written comes to another.
#pragma once

namespace pawl::detail {

/// True on CPUs of Intel, one mesh: threads that take turns with an array of 2^15 pairs gain (Emerald Rapids). False
/// where a group of cores has a cache of its own, or until this library's objects are initialised. Both ways compute
/// the same. Tests set it.
extern bool cores_are_near;

}  // namespace pawl::detail
