// row_streams.hpp -- CPUID -> how this CPU follows the rows of a matrix that are read side by side.
#pragma once

namespace pawl::detail {

/// True on CPUs of Intel: L2 follows each of eight rows as a stream, also where they lie whole pages apart, and what
/// comes from beyond it is best asked for into L2 (Emerald Rapids). False until this library's objects are
/// initialised: both ways compute the same. Tests set it.
extern bool follows_rows_into_l2;

}  // namespace pawl::detail
