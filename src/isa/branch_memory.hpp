// branch_memory.hpp -- CPUID -> how soon this CPU forgets where loops end.
#pragma once

namespace pawl::detail {

/// True on CPUs of Intel: when rows of unlike lengths are multiplied again and again, the ends of loops over 2000 of
/// them are learnt by heart, over 4000 no longer (Emerald Rapids); a Zen 5 still knows 10,000. False until this
/// library's objects are initialised. Tests set it.
extern bool forgets_branches;

}  // namespace pawl::detail
