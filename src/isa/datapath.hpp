// datapath.hpp -- CPUID -> whether this CPU works on vectors of 512 bits half by half.
#pragma once

namespace pawl::detail {

/// True on CPUs of AMD whose data path has 256 bits (Zen 4): an instruction on 512 takes two turns, and a store of 512
/// keeps the store port for both, while loads and stores of 256 bits share the three address generators freely.
/// False until this library's objects are initialised: both ways keep the same bounds. Tests set it.
extern bool splits_512_bits;

}  // namespace pawl::detail
