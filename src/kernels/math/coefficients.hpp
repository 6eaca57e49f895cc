// coefficients.hpp -- polynomials of the math kernels, lowest power first. Made by tools/math_coefficients.py.
#pragma once

// clang-format off
namespace pawl::PAWL_ISA_NS::coefficients {

template <class T>
inline constexpr T kExp[1] = {};
template <class T>
inline constexpr T kLog[1] = {};
template <class T>
inline constexpr T kMills[1] = {};

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2; error 2^-23.9
template <>
inline constexpr float kExp<float>[] = {0x1p-1f, 0x555537p-25f, 0x2aaaa3p-26f, 0x8905f1p-30f, 0x5b445fp-32f};
// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2; error 2^-53.1
template <>
inline constexpr double kExp<double>[] = {0x10000000000001p-53, 0xaaaaaaaaaaaabp-54, 0x15555555553d37p-57, 0x88888888884d3p-58, 0x16c16c1789d1d7p-62, 0x1a01a01a7cebcdp-65, 0x1a019b8ca26fcfp-68, 0x2e3bc1b0a5277p-68, 0x12891d4ffbb0f9p-74, 0x1af390ba7e6f47p-78};

// (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, |s| <= 0.2; error 2^-27.9
template <>
inline constexpr float kLog<float>[] = {0xaaaaabp-24f, 0x66669bp-24f, 0x92162dp-25f, 0x1e66d7p-23f};
// (log((1 + s) / (1 - s)) / s - 2) / z, z = s^2, |s| <= 0.2; error 2^-55.1
template <>
inline constexpr double kLog<double>[] = {0x15555555555555p-53, 0x19999999999f3p-50, 0x92492491edd35p-53, 0x1c71c72e2f78d5p-55, 0x1745cab2727663p-55, 0x13b29fcbbce66dp-55, 0x10e88ea4725d3dp-55, 0x116b68338bd78bp-55};

// (1 + t) exp(t^2/2) Phi(-t) in q = (t - K) / (t + K), K = 4 (f32), 6 (f64); error 2^-29.6
template <>
inline constexpr float kMills<float>[] = {0xf1b0f5p-25f, -0x18c18fp-24f, 0xe55ebbp-30f, 0x75254fp-28f, -0x83e1dbp-28f, 0x92f5c1p-29f, -0xa3e9p-23f, -0x4e9f35p-34f, 0xb519dp-30f, -0x8bf541p-37f, -0x137f31p-34f};
// (1 + t) exp(t^2/2) Phi(-t) in q = (t - K) / (t + K), K = 4 (f32), 6 (f64); error 2^-58.2
template <>
inline constexpr double kMills<double>[] = {0xe82b47aebb333p-53, -0x15c438de6f0fe7p-56, 0xa3114de80b7f9p-56, -0x11e9d4130ecb1bp-60, -0x843b3721965cfp-57, 0x17227accaeb473p-58, -0xa1ed4fb9d199bp-57, 0x1b212c02873e51p-59, -0x1ceac1d8776c05p-60, 0x180c840e22f0d1p-61, -0xe3cd3ead48a23p-62, 0x1f52d0a770a135p-66, 0x9e85f7775add3p-66, -0x1ba22f6aa0a647p-68, 0x940e443478c4bp-69, 0xef6b4cc9b304fp-71, -0x8629a553f5057p-71, -0xebeb9ad4d5dabp-83, 0x11c42060230a5dp-75, -0xac09cd968fa9p-73, -0x10cb0da7b68eafp-78, 0xca37743e2fbcdp-80, 0x1af723abadab41p-82};

}  // namespace pawl::PAWL_ISA_NS::coefficients
