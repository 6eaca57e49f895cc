// random.hpp -- (seed, index) -> random numbers: arrays of them, the same on every CPU and with any number of threads.
//
// Element i depends on the seed and i alone, and is the same number to the bit in every variant (isa.hpp): data made
// from a seed are the same data on another machine. No function allocates. Alignment: any; 64 bytes is fastest.
//
// Bits       SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): word j is its output number j from `seed` on. 2^64 words
//            until it repeats; passes BigCrush (their section 6). Not for cryptography.
#pragma once
#include <cstdint>
#include <span>

namespace pawl {

/// out[i]: normally distributed, mean 0 and variance 1.
///
/// Method     Box and Muller, Ann. Math. Stat. 29 (1958): elements 2 j and 2 j + 1 are sqrt(-2 ln u) times the cosine
///            and the sine of 2 pi v. f32: u and v are the upper and the lower 32 bits of word j; f64: 53 and 54 bits
///            of words 2 j and 2 j + 1. The bits k of u stand for (k + 1/2) / 2^32, / 2^53: never 0.
/// Range      |x| <= 6.77 (f32), 8.65 (f64)
/// Accuracy   relative error at most 4 times the type's epsilon (2.7 seen), however small the element is.
/// Cost       about 50 operations on vectors per vector of elements; writes n.
/// Errors     none
/// Reference  pawl::reference::normal in src/reference/random_ref.hpp
void fill_normal(std::span<float> out, std::uint64_t seed);
void fill_normal(std::span<double> out, std::uint64_t seed);

/// out[i]: uniform in [low, high).
///
/// Method     low + (high - low) u, rounded twice, and the number below high where that reaches high. f32: u is a
///            multiple of 2^-24, elements 2 j and 2 j + 1 from the lower and the upper half of word j; f64: of 2^-53,
///            from word i.
/// Cost       some ten integer operations and two products per element; writes n.
/// Errors     std::invalid_argument unless low < high and high - low is finite; nothing is written then.
void fill_uniform(std::span<float> out, std::uint64_t seed, float low = 0, float high = 1);
void fill_uniform(std::span<double> out, std::uint64_t seed, double low = 0, double high = 1);

}  // namespace pawl
