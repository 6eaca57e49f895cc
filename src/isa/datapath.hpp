// datapath.hpp -- CPUID -> whether this CPU works on vectors of 512 bits half by half, whether its divider is fast, and
// its dot products of bf16.
#pragma once

namespace pawl::detail {

/// True on CPUs of AMD whose data path has 256 bits (Zen 4): an instruction on 512 takes two turns, and a store of 512
/// keeps the store port for both, while loads and stores of 256 bits share the three address generators freely.
/// False until this library's objects are initialised: both ways keep the same bounds. Tests set it.
extern bool splits_512_bits;

/// True on CPUs of AMD: the divider takes 0.61 (f32) and 0.97 ns (f64) for the quotients of 64 bytes on a Zen 5, 1.6
/// and 2.5 on a Zen 4, on an Emerald Rapids 3.5 and 5.5. So multiply-adds, which find quotients and roots beside it,
/// are worth it for fewer vectors. False until this library's objects are initialised: both ways round the
/// same. Tests set it.
extern bool divides_fast;

/// True on CPUs of Intel: a dot product of 32 pairs of bf16 takes the place of two FMAs of 16 f32 and more, so that its
/// peak is 0.51 of theirs (Emerald Rapids: 89 of 173 GFLOP/s). False until this library's objects are initialised.
/// Tests set it.
extern bool bf16_dots_take_two_turns;

}  // namespace pawl::detail
