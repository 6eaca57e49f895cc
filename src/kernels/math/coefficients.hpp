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
template <class T>
inline constexpr T kMillsRest = 0;

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
// What rounding the first of them left.
template <>
inline constexpr float kMillsRest<float> = 0xdba4f3p-51f;
// (1 + t) exp(t^2/2) Phi(-t) in q = (t - K) / (t + K), K = 4 (f32), 6 (f64); error 2^-58.2
template <>
inline constexpr double kMills<double>[] = {0xe82b47aebb333p-53, -0x15c438de6f0fe7p-56, 0xa3114de80b7f9p-56, -0x11e9d4130ecb1bp-60, -0x843b3721965cfp-57, 0x17227accaeb473p-58, -0xa1ed4fb9d199bp-57, 0x1b212c02873e51p-59, -0x1ceac1d8776c05p-60, 0x180c840e22f0d1p-61, -0xe3cd3ead48a23p-62, 0x1f52d0a770a135p-66, 0x9e85f7775add3p-66, -0x1ba22f6aa0a647p-68, 0x940e443478c4bp-69, 0xef6b4cc9b304fp-71, -0x8629a553f5057p-71, -0xebeb9ad4d5dabp-83, 0x11c42060230a5dp-75, -0xac09cd968fa9p-73, -0x10cb0da7b68eafp-78, 0xca37743e2fbcdp-80, 0x1af723abadab41p-82};
// What rounding the first of them left.
template <>
inline constexpr double kMillsRest<double> = -0xcebaf55f18a7bp-108;

// 2^f = 1 + f P(f) for |f| <= 1/32, and 2^(j/16): AVX-512 looks the latter up in a register.
inline constexpr float kExp2[] = {0x162e43p-21f, 0x7affe5p-25f, 0xe3594dp-28f};
// exp(-r/2) = 1 + r P(r) for |r| <= ln(2) / 16
inline constexpr float kExpHalf[] = {-0x1p-1f, 0x8000f9p-26f, -0x5555b9p-28f};
alignas(64) inline constexpr float kPower16[16] = {0x1p+0f, 0x85aac3p-23f, 0x45cae1p-22f, 0x91c3d3p-23f, 0x9837fp-19f, 0x4f7a99p-22f, 0xa5fed7p-23f, 0xad583fp-23f, 0xb504f3p-23f, 0x2f4229p-21f, 0x62b395p-22f, 0x338923p-21f, 0xd744fdp-23f, 0xe0ccdfp-23f, 0xeac0c7p-23f, 0xf5257dp-23f};
// What rounding those left.
alignas(64) inline constexpr float kPower16Low[16] = {0x0p-24f, 0xcf9891p-48f, -0xe0aba1p-50f, 0x39d589p-46f, 0xa31b71p-48f, 0x6091a1p-47f, -0x564eafp-47f, -0x56f57bp-49f, 0x67f3bdp-48f, -0x1829fdp-45f, 0x8aa837p-50f, 0x2a3f09p-48f, -0x6a52c5p-48f, -0x9eab59p-50f, -0x608b6fp-49f, 0x54921bp-49f};

// tanh(a), a < 15; relative error 2^-27.4; the last row: the points
alignas(64) inline constexpr float kTanhPieces[8][16] = {
  {0xd9292dp-24f, 0xf0fdfp-20f, 0x7d2fe9p-23f, 0x3f7aa1p-22f, 0xff8895p-24f, 0x3ffbf5p-22f, 0xfffddp-20f, 0x3fffedp-22f, 0x3fffffp-22f, 0x1p+0f, 0x1p+0f, 0x1p+0f, 0x0p-24f, 0xb77ab3p-25f, 0x8df9a7p-24f, 0x168667p-21f},
  {0x47c929p-24f, 0x748b85p-26f, 0xb20b5fp-28f, 0x426a05p-28f, 0xee9f7dp-32f, 0x815ca5p-34f, 0x460039p-36f, 0x97d5e7p-40f, 0x793fd7p-44f, 0x46cb51p-49f, 0xa64947p-56f, 0xc2ebbfp-62f, 0x1p+0f, 0x6f8febp-23f, 0xb1430bp-24f, 0x8127efp-24f},
  {-0xf39447p-26f, -0xdb6cd3p-27f, -0xae21bfp-28f, -0x83bf3bp-29f, -0xee2f3dp-32f, -0x8153edp-34f, -0x45ff57p-36f, -0x4bea85p-39f, -0x3c8d81p-43f, -0x46b705p-49f, -0xa6183p-52f, -0x30ac8dp-60f, -0xd73fafp-43f, -0x9feab3p-25f, -0xc49d95p-25f, -0xb5d3d7p-25f},
  {0x6eed01p-26f, 0x101c1bp-24f, 0x1bbd59p-26f, 0x56653fp-29f, 0x9e0fa5p-32f, 0x2b0ae7p-33f, 0x5d394dp-37f, 0x651cc1p-40f, 0x279e95p-43f, 0x5c86f5p-50f, 0x3655a9p-55f, 0xfec3abp-63f, -0xaaa0cdp-25f, -0x5b7189p-25f, -0x4917e7p-28f, 0x29e265p-25f},
  {-0xce3099p-30f, -0x302c99p-27f, -0x64f43fp-29f, -0x538f0dp-30f, -0x4e7ecbp-32f, -0xac1779p-36f, -0x5d422bp-38f, -0xca5665p-42f, -0x5003efp-45f, -0x2eaf57p-50f, -0x1b6c95p-55f, -0x809621p-63f, -0xaa5903p-33f, 0x2b093bp-24f, 0x11a6adp-23f, 0xf9039p-24f},
  {-0x50a71dp-28f, 0x721b31p-31f, 0x4128b5p-30f, 0x3ebebfp-31f, 0x4046bp-29f, 0x8f3a23p-37f, 0x9b9351p-40f, 0x2a3395p-41f, 0x98338dp-47f, 0x16384dp-50f, 0x68603bp-58f, 0xf4b2f5p-65f, 0x93021p-22f, 0x9bad03p-29f, -0x6f4669p-27f, -0x3bf3d1p-26f},
  {0x3dce41p-28f, 0x43f917p-31f, -0x5e6b1p-29f, -0x477e17p-33f, -0x52237p-31f, -0xbc3b19p-39f, -0xcd54ffp-42f, -0xde88f7p-45f, -0x614875p-48f, -0xe412a5p-55f, -0x42d639p-59f, -0x272c4fp-64f, -0x134bfdp-25f, -0x46b229p-26f, -0x189de3p-26f, 0xd4e565p-30f},
  {0xa0001bp-23f, 0x1bfff9p-20f, 0x47ffb7p-21f, 0xaffff3p-22f, 0x6fffd7p-21f, 0x480037p-20f, 0x580179p-20f, 0x19ff83p-18f, 0xfff83p-17f, 0xa003e7p-20f, 0x3p+2f, 0x7p+1f, 0x0p-24f, 0xc00017p-25f, 0x27ffc9p-22f, 0xe0001fp-24f},
};

// t exp(t^2/2) Phi(-t), t < 15; relative error 2^-29.0; the last row: the points
alignas(64) inline constexpr float kMillsPieces[8][16] = {
  {0x93afa7p-25f, 0xa5f82bp-25f, 0x5880d9p-24f, 0x5c07b5p-24f, 0xbe9209p-25f, 0x61b18dp-24f, 0xc615c5p-25f, 0xc7bb6bp-25f, 0xc934b9p-25f, 0xca4637p-25f, 0xcade59p-25f, 0x32ced7p-23f, 0x0p-24f, 0x48e27p-21f, 0x67797p-21f, 0x7d565bp-25f},
  {0x2f6f5dp-25f, 0x1bd3e7p-25f, 0x8ad5f5p-28f, 0x5b17e9p-28f, 0xd14fe9p-30f, 0x6fee45p-30f, 0x83f1dfp-31f, 0xa7537p-28f, 0xbb13p-25f, 0xc57907p-34f, 0x3a1fa1p-33f, 0x127e7dp-32f, 0x1p-1f, 0x911765p-25f, 0x3348a5p-24f, 0x945f65p-26f},
  {-0x35d9fp-22f, -0xdf0589p-29f, -0x7ba6e9p-29f, -0x245555p-28f, -0x47b891p-30f, -0x8025cfp-32f, -0x407fdbp-32f, -0x23913bp-32f, -0x849377p-35f, -0xe43ffp-33f, -0x1c4d19p-35f, -0xf8ae3fp-39f, -0x66211p-20f, -0x682b47p-25f, -0x89768bp-26f, -0x2e76edp-25f},
  {0x18feebp-26f, 0xb90905p-30f, 0x2e18b7p-29f, 0x61eddfp-31f, 0x29f4b7p-31f, 0xfd1587p-35f, 0xdb1e7p-32f, 0xd33a03p-37f, 0xa4d99p-34f, 0x3a1b99p-38f, 0x185793p-38f, 0xb8e1e7p-42f, 0x7ffe5p-21f, 0x770c51p-26f, 0x49edc7p-26f, 0x5e29d9p-27f},
  {-0xa23743p-30f, -0x8770afp-31f, -0xf498d9p-33f, -0xec7da7p-34f, -0xb1820fp-35f, -0xe3e3c5p-37f, -0xaac137p-38f, -0x908609p-39f, -0xbdddb1p-41f, -0x370299p-41f, -0x9c1129p-44f, -0x4021b7p-44f, -0x87f1b3p-26f, -0xe923abp-28f, -0x8913d7p-28f, -0x14ad57p-26f},
  {0x784241p-31f, 0x16c767p-30f, 0x4af065p-33f, 0x424171p-34f, 0xb243a1p-37f, 0xc33489p-39f, 0xfd9449p-41f, 0x179629p-39f, 0x356979p-42f, 0x652f41p-45f, 0x3c8d03p-46f, 0x55f8fbp-48f, 0xf8c5c9p-28f, 0x65f7cbp-28f, 0xe40125p-30f, 0x20b767p-28f},
  {-0xa2269p-29f, -0xe0dbfbp-35f, -0xa9a5c5p-36f, -0x45039bp-36f, -0x149593p-36f, -0x9bd01bp-41f, -0x588b59p-42f, -0x74a25p-40f, -0x37fbb1p-45f, -0xafb375p-49f, -0xb2dc29p-51f, -0xdc86d3p-53f, -0x147153p-26f, -0xa1ad69p-30f, -0x56454dp-30f, -0x2f4867p-30f},
  {0x4fffd7p-22f, 0xe00229p-23f, 0x8fff9dp-22f, 0xafffb1p-22f, 0x6fffebp-21f, 0x24000fp-19f, 0xb0000bp-21f, 0x67ffcbp-20f, 0x3fffffp-19f, 0x140001p-17f, 0xbfffc5p-20f, 0x700007p-19f, 0x0p-24f, 0xc0006dp-25f, 0x28001p-18f, 0xe00019p-24f},
};

// 1 / c and log c for c = k / 16, 12 <= k <= 24, at place k mod 16; log c but for 2^-35 (f32), 2^-63 (f64).
alignas(64) inline constexpr float kInverseFloat[16] = {0x1p+0f, 0x787877p-23f, 0x38e4e1p-22f, 0xd798c5p-24f, 0xccc4e7p-24f, 0xc30d5fp-24f, 0xba3387p-24f, 0x590a09p-23f, 0x555133p-23f, 0x0p-24f, 0x0p-24f, 0x0p-24f, 0x55516dp-22f, 0x9d857dp-23f, 0x2492b3p-21f, 0x888509p-23f};
alignas(64) inline constexpr float kLogarithmFloat[16] = {0x0p-24f, 0x1f0a37p-25f, 0x1e2113p-24f, 0x2bf8f7p-24f, 0x3929cfp-24f, 0x22cdf3p-23f, 0xa2feabp-25f, 0x2e7543p-23f, 0x67d8f7p-24f, 0x0p-24f, 0x0p-24f, 0x0p-24f, -0x4999cfp-24f, -0x6a418bp-25f, -0x111901p-23f, -0x20fe13p-25f};
alignas(64) inline constexpr double kInverseDouble[16] = {0x1p+0, 0x1e1e16021e1c17p-53, 0x38e39f98e3929p-50, 0xd7944d250d7f1p-52, 0x199994ed99986fp-53, 0xc30c56030c3a1p-52, 0xba2eac22e8c25p-52, 0x1642c1c50b1fbfp-53, 0x15554f0d5553c3p-53, 0x0p-53, 0x0p-53, 0x0p-53, 0x15555b955556e5p-52, 0x13b13d7fb13bafp-52, 0x12491ede492325p-52, 0x2222235a22227p-49};
alignas(64) inline constexpr double kLogarithmDouble[16] = {0x0p-53, 0x1f0aba9c24147p-53, 0x1e26b93e36dp-44, 0x57fc8a8aa13bdp-53, 0xe480791ce60dp-50, 0x8b3a8395666e5p-53, 0xa30c04b0eaacbp-53, 0x2e73d5c07d403p-51, 0x19f336c4c2633p-50, 0x0p-53, 0x0p-53, 0x0p-53, -0x934ba68991091p-53, -0x6a4ff3ea27981p-53, -0x445d9a588682fp-53, -0x210b43b33c251p-53};
// log c, exactly those of kInverseDouble, with 42 bits after the point, and the rest.
alignas(64) inline constexpr double kLogarithmHigh[16] = {0x0p-53, 0x7c2aea709p-39, 0x789ae4f8dbp-42, 0x57fc8a8aa1p-41, 0x72403c8e73p-41, 0x11675072acdp-42, 0x146180961d5p-42, 0xb9cf5701f5p-41, 0xcf99b62613p-41, 0x0p-53, 0x0p-53, 0x0p-53, -0x934ba68991p-41, -0xd49fe7d44fp-42, -0x88bb34b10dp-42, -0x842d0eccfp-39};
alignas(64) inline constexpr double kLogarithmLow[16] = {0x0p-53, 0xa3801d369a273p-96, 0x80000c157d737p-95, 0x1de7fe3e938bd7p-96, 0x33fff32c9828fp-96, -0x11affec496ca2fp-97, 0x165801ef00f8edp-96, 0xbffda212d4bcfp-101, 0x197ffc02533d8bp-97, 0x0p-53, 0x0p-53, 0x0p-53, -0x24400619160fp-91, -0x180ffc0546a41bp-97, -0xbbffb36d20e9dp-99, -0x94400c6daa15p-91};

// (log(1 + r) - r) / r^2 for |r| <= 1/23; error 2^-23.6
inline constexpr float kLogFirst32[] = {-0xfffffdp-25f, 0xaaaaa9p-25f, -0x802959p-25f, 0xcd13afp-26f};
// (log(1 + r) - r) / r^2 for |r| <= 1/23; error 2^-57.8
inline constexpr double kLogFirst64[] = {-0x1p-1, 0x15555555555555p-54, -0x1ffffffffff151p-55, 0x19999999998c0bp-55, -0xaaaaaab240549p-54, 0x124924932930c9p-55, -0x1ffff50878629fp-56, 0xe38de7e63a47p-51, -0x19b37a51ea42a7p-56, 0x175db4c2833f43p-56};
// (log(1 + r) - r) / r^2 for |r| <= 1/23; error 2^-35.1
inline constexpr double kLogShort[] = {-0x1000000003a287p-53, 0x155555555bcbbp-50, -0x1ffffde33ec6ebp-55, 0x199997b8e7bb85p-55, -0x5583deb61ed59p-53, 0x929be0bae08bfp-54};
// (log(1 + r) - r + r^2 / 2) / r^3 for |r| <= 1/23; error 2^-57.9
inline constexpr double kLogSecond[] = {0x15555555555555p-54, -0x1p-2, 0x19999999998c0bp-55, -0x155555555548bfp-55, 0x124924932930c9p-55, -0x10000000d00d55p-55, 0xe38de7e63a47p-51, -0x19999032f8c131p-56, 0x175db4c2833f43p-56, -0x156b83fa050255p-56};
// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2; error 2^-29.4
inline constexpr double kExpShort[] = {0x40000002e84cbp-51, 0x15555555a800cdp-55, 0x55553a288ae13p-55, 0x11110e0c5c7f5p-55, 0x16d43af18200d3p-62, 0xd092b669789e1p-64};

}  // namespace pawl::PAWL_ISA_NS::coefficients
