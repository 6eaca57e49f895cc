// random_coefficients.hpp -- sine and cosine of quarter turns, lowest power first. Made by
// tools/random_coefficients.py.
#pragma once

// clang-format off
namespace pawl::PAWL_ISA_NS::coefficients {

template <class T>
inline constexpr T kSineOfQuarter[1] = {};
template <class T>
inline constexpr T kCosineOfQuarter[1] = {};
// sin(t pi / 2) / t, z = t^2, |t| <= 1/2; error 2^-27.6
template <>
inline constexpr float kSineOfQuarter<float>[] = {0xc90fdbp-23f, -0xa55dddp-24f, 0x5197bp-22f, -0x25b357p-29f};
// sin(t pi / 2) / t, z = t^2, |t| <= 1/2; error 2^-57.5
template <>
inline constexpr double kSineOfQuarter<double>[] = {0x3243f6a8885a3p-49, -0x14abbce625be41p-53, 0xa335e33bac3f3p-55, -0x4cb4b338b916bp-58, 0xa83c17ec51cc7p-64, -0xf1803824625fp-66, 0xf1f9808b34859p-76};
// (cos(t pi / 2) - 1) / z, z = t^2, |t| <= 1/2; error 2^-30.3
template <>
inline constexpr float kCosineOfQuarter<float>[] = {-0x4ef4f3p-22f, 0x81e0f5p-25f, -0xaae5cbp-29f, 0xedb1f3p-34f};
// (cos(t pi / 2) - 1) / z, z = t^2, |t| <= 1/2; error 2^-60.8
template <>
inline constexpr double kCosineOfQuarter<double>[] = {-0x9de9e64df22efp-51, 0x40f07c206d6bp-48, -0xaae9e3f1e591dp-57, 0xf0fa834343e41p-62, -0xd368f779ac7fbp-67, 0x1f9ce23426c0b7p-74, -0x1b2f38468445b5p-80};

}  // namespace pawl::PAWL_ISA_NS::coefficients
