// core_watch.hpp -- is another hardware thread at work on this core? -> independent integer operations per cycle.
//
// Two hardware threads of a core share its issue slots. On a virtual machine the other one may belong to a neighbour:
// no clock, no steal time and no load shows it, and loops in L1 take up to twice as long while chains of arithmetic
// take as long as ever (docs/benchmarking.md).
#pragma once

namespace pawl::bench {

/// Independent integer operations that this core does per cycle right now: about as many as it has integer units (4 on
/// a Zen 4: 3.9) where it is alone, down to half of that beside a busy one. A cycle is what one operation of a chain
/// takes, so the clock's speed has no say. Takes 30 us and no memory.
double measure_operations_per_cycle() noexcept;

/// Whether measure() of rows.hpp looks; the main sets it.
bool core_watched() noexcept;
void watch_core(bool wanted) noexcept;

}  // namespace pawl::bench
