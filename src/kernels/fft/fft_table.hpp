// fft_table.hpp -- the entries of the category `fft`: the passes that plans are made of.
#pragma once
#include <cstddef>
#include <cstdint>

namespace pawl {

/// Longest transform that `direct` does.
inline constexpr std::size_t kLargestDirect = 128;

/// Largest radix of `prime_pass`.
inline constexpr std::size_t kLargestPrimePass = 127;

/// Lengths of real transforms back that are done by folded sums (real_folded.kernel.hpp), and results of these at once.
constexpr bool is_folded(std::size_t n) { return n % 2 != 0 && n >= 9 && n <= 15; }
inline constexpr std::size_t kFoldedResults = 8;

/// Longest transform that `real_matrix` does.
inline constexpr std::size_t kLargestRealMatrix = 32;

/// Parts of a real line that threads untangle are multiples of so many results long: whole groups of vectors.
inline constexpr std::size_t kUntangledGrain = 64;

/// Short lines as vectors of pairs (re, im); `inverse` takes the sign of i. Not in `scalar`.
template <class T>
struct FftPairs {
  std::size_t lanes;  ///< pairs in a vector

  /// The first half of a transform of r * columns pairs: those of the columns, r points each, times twiddles. Row k of
  /// `out` has ceil(columns / lanes) vectors. twiddles: for each vector of columns and each k from 1 to r - 1 a vector
  /// (re, re) and a vector (-im, im) of exp(-2 pi i k c / n), or of exp(+2 pi i k c / n) for the inverse.
  using Rows = void (*)(const T* in, std::size_t columns, T* out, const T* twiddles, bool inverse) noexcept;
  /// The second half: from that `in`, transforms of c points of `rows` rows; result j of row k goes to out[rows j + k],
  /// times scale. in and out apart.
  using Columns = void (*)(const T* in, std::size_t rows, T* out, bool inverse, T scale) noexcept;
  /// A transform of r pairs by itself; out may be in.
  using Single = void (*)(const T* in, T* out, bool inverse, T scale) noexcept;

  Rows rows[26];  ///< of r = 2 .. 16, 18, 20, 24 and 25
  Columns columns[26];
  Single single[45];  ///< of r = 2 .. 16; of avx2 also of 20, 28 and 44

  /// `count` contiguous transforms of r pairs, distances between them in elements of T; out may be in if their
  /// distances are the same.
  using Lines = void (*)(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                         std::size_t count, bool inverse, T scale) noexcept;
  Lines lines_of[26];  ///< of r as in `rows`

  /// Transforms of `columns` columns of r pairs, distances between rows in elements of T; out may be in if they are the
  /// same.
  using Across = void (*)(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                          bool inverse, T scale) noexcept;
  Across across[26];  ///< of r as in `rows`

  /// The same of `blocks` blocks of half of `lanes` columns, `block` elements from one to the next in `in` and side by
  /// side in `out`. Where there are four lanes or more.
  using AcrossHalves = void (*)(const T* in, std::ptrdiff_t in_row, std::ptrdiff_t block, T* out,
                                std::ptrdiff_t out_row, std::size_t blocks, bool inverse, T scale) noexcept;
  AcrossHalves across_halves[26];  ///< of r as in `rows`

  /// A transform of n real numbers by itself, or its inverse, times scale; out may be in. table: of even n = 2 h that
  /// of FftOps::split_rows; of an inverse of n = 9, 11, 13 or 15 that of real_folded_inverse.
  using RealSingle = void (*)(const T* in, const T* table, T* out, T scale) noexcept;
  RealSingle real_single[33];          ///< of n = 2 .. 10, 15 and even ones to 32
  RealSingle real_single_inverse[33];  ///< also of 11 and 13 where kFoldedResults fill vectors
};

/// Transforms of many columns or lines of real numbers, each in a lane by itself, and what lies around the passes over
/// those that have no butterfly. Distances in elements of T; in and out apart.
template <class T>
struct FftReals {
  /// `columns` real columns of r rows, side by side -> rows 0 to r / 2 of as many pairs, times scale; and back, where
  /// the imaginary parts of rows 0 and r / 2 do not count.
  using Across = void (*)(const T* in, std::ptrdiff_t in_row, T* out, std::ptrdiff_t out_row, std::size_t columns,
                          T scale) noexcept;
  Across across[17];  ///< of r = 2 .. 16
  Across across_inverse[17];
  /// The same of `count` contiguous lines of r real numbers.
  using Lines = void (*)(const T* in, std::ptrdiff_t in_distance, T* out, std::ptrdiff_t out_distance,
                         std::size_t count, T scale) noexcept;
  Lines lines_of[17];  ///< of r = 2 .. 16
  Lines lines_inverse[17];

  /// `count` contiguous lines of n >= 2 real numbers -> n rows of as many; whole vectors are written, the last one once
  /// more behind its end; and back.
  void (*load_lines)(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                     std::size_t out_row) noexcept;
  void (*store_lines)(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                      std::ptrdiff_t distance) noexcept;

  /// Of `count` columns of 2 h numbers (real_halves.kernel.hpp): rows of them -> a block of h rows, and from that of an
  /// inverse transform, parts exchanged; its transform -> rows 0 to h of pairs, and back, parts exchanged. twiddles:
  /// exp(-pi i k / h), k < h.
  void (*load_twos)(const T* in, std::ptrdiff_t in_row, std::size_t h, std::size_t count, T* block,
                    std::size_t block_row) noexcept;
  void (*store_twos)(const T* block, std::size_t block_row, std::size_t h, std::size_t count, T* out,
                     std::ptrdiff_t out_row, T scale) noexcept;
  void (*split_halves)(const T* block, std::size_t block_row, std::size_t h, const T* twiddles, std::size_t count,
                       T* out, std::ptrdiff_t out_row, T scale) noexcept;
  void (*join_halves)(const T* in, std::ptrdiff_t in_row, std::size_t h, const T* twiddles, std::size_t count, T* block,
                      std::size_t block_row) noexcept;

  /// Of `count` columns of r m numbers, r odd (real_pass.kernel.hpp): the same, with a pass of radix r at the end where
  /// the numbers are. twiddles: exp(-2 pi i p s / (r m)) for each p from 1 to m - 1 and each s from 1 to r / 2.
  using First = void (*)(const T* in, std::ptrdiff_t in_row, std::size_t m, std::size_t count, const T* twiddles,
                         T* block) noexcept;
  using Last = void (*)(const T* block, std::size_t m, std::size_t count, const T* twiddles, T* out,
                        std::ptrdiff_t out_row, T scale) noexcept;
  First first[16];  ///< of r = 3, 5, .. 15
  Last last[16];
  /// Of any r <= kLargestPrimePass; circle as in FftOps::prime_pass.
  void (*first_prime)(std::size_t r, const T* circle, const T* in, std::ptrdiff_t in_row, std::size_t m,
                      std::size_t count, const T* twiddles, T* block) noexcept;
  void (*last_prime)(std::size_t r, const T* circle, const T* block, std::size_t m, std::size_t count,
                     const T* twiddles, T* out, std::ptrdiff_t out_row, T scale) noexcept;
  void (*keep_half)(const T* block, std::size_t r, std::size_t m, std::size_t count, T* out, std::ptrdiff_t out_row,
                    T scale) noexcept;
  void (*fill_half)(const T* in, std::ptrdiff_t in_row, std::size_t r, std::size_t m, std::size_t count,
                    T* block) noexcept;

  /// Of one line of r m numbers, r odd (real_divided.kernel.hpp): m real numbers and r / 2 rows of m pairs; and back,
  /// times scale. twiddles: exp(-2 pi i s p / (r m)) of each vector of places p a complex vector for each s.
  using Divide = void (*)(const T* in, std::size_t m, const T* twiddles, T* out, std::size_t row) noexcept;
  using Join = void (*)(const T* in, std::size_t row, std::size_t m, const T* twiddles, T* out, T scale) noexcept;
  Divide divide[16];  ///< of r = 3, 5, .. 15
  Join join[16];
};

template <class T>
struct FftTurns;  // fft_turns.hpp
template <class T>
struct FftWhole;  // fft_whole.hpp
template <class T>
struct FftLong;  // fft_long.hpp
template <class T>
struct FftHalves;  // fft_halves.hpp
template <class T>
struct FftMaking;  // fft_making.hpp
struct FftRoots;

/// Data between passes is in blocks: rows of `vectors` complex vectors, each of them W = lanes real parts followed by W
/// imaginary parts. A block has columns side by side in its lanes, and one row per element of a transform. Distances
/// between rows are in elements of T. `user` arrays hold pairs (re, im), as std::complex does.
template <class T>
struct FftOps {
  std::size_t lanes;
  const FftPairs<T>* pairs;
  const FftReals<T>* reals;
  const FftTurns<T>* turns;
  const FftWhole<T>* whole;
  const FftLong<T>* long_lines;
  const FftHalves<T>* halves;
  const FftMaking<T>* making;

  /// pass[r]: one Stockham pass of radix r over every column, null where there is none. Row p + m k of `in` (k < r,
  /// p < m) becomes row r p + j of `out`: the sum over k of in * exp(-2 pi i j k / r), times exp(-2 pi i p j / (r m)).
  /// twiddles: for each p from 1 on, r - 1 pairs. in and out do not overlap.
  using Pass = void (*)(const T* in, std::size_t in_row, T* out, std::size_t out_row, std::size_t m,
                        std::size_t vectors, const T* twiddles) noexcept;
  Pass pass[17];
  /// The same of any odd radix r <= kLargestPrimePass by its defining sums. circle: for k and j from 1 to (r - 1) / 2
  /// the pairs (cos, sin) of 2 pi j k / r, k outside.
  void (*prime_pass)(std::size_t r, const T* circle, const T* in, std::size_t in_row, T* out, std::size_t out_row,
                     std::size_t m, std::size_t vectors, const T* twiddles) noexcept;
  /// The same from a user array whose rows are whole vectors; swapped exchanges re and im of what is read.
  using FirstPass = void (*)(const T* user, std::size_t user_row, T* out, std::size_t out_row, std::size_t m,
                             std::size_t vectors, const T* twiddles, bool swapped) noexcept;
  FirstPass first_pass[17];
  /// The same of products with factors, which are in memory as blocks are: of each W pairs the W real parts and then
  /// the W imaginary ones. `live`: pairs of the user array from its first row on; those behind count as 0 and are not
  /// read. exchanged: re and im of the products change places; conjugated: the factors are.
  struct Products {
    const T* factors;
    std::size_t live;
    bool exchanged, conjugated;
  };
  using ProductPass = void (*)(const T* user, const Products& products, std::size_t user_row, T* out,
                               std::size_t out_row, std::size_t m, std::size_t vectors, const T* twiddles) noexcept;
  ProductPass product_pass[17];
  /// The last pass (m = 1) to a user array of whole vectors, times scale: leg k, in_leg elements after the one before,
  /// has rows * vectors vectors; result j of row i goes to user + j user_leg + i user_row. Null where `pass` is.
  using LastPass = void (*)(const T* in, std::size_t in_leg, std::size_t rows, std::size_t vectors, T* user,
                            std::ptrdiff_t user_row, std::ptrdiff_t user_leg, bool swapped, T scale) noexcept;
  LastPass last_pass[17];

  /// rows x columns of a user array -> a block of ceil(columns / W) vectors a row, filled up with zeros.
  void (*load_rows)(const T* user, std::ptrdiff_t user_row, std::size_t rows, std::size_t columns, T* out,
                    std::size_t out_row, bool swapped) noexcept;
  /// The inverse, times scale. past_caches: whole vectors go to memory by themselves, where user and its rows are at
  /// 64-byte boundaries.
  void (*store_rows)(const T* in, std::size_t in_row, std::size_t rows, std::size_t columns, T* user,
                     std::ptrdiff_t user_row, bool swapped, T scale, bool past_caches) noexcept;

  /// Transposes one column vector of a block: row k of `in` becomes column k of the W rows of `out`; on the way, lane b
  /// is multiplied by twiddles[k][b] (vectors) and, unless step is null, by step[k] (pairs). Reads `in`, twiddles and
  /// step up to a whole multiple of W rows. past_caches as above.
  void (*turn)(const T* in, std::size_t in_row, std::size_t rows, T* out, std::size_t out_row, const T* twiddles,
               const T* step, bool past_caches) noexcept;

  /// The end of a transform of rows * W elements whose columns are transformed: `in` has one vector a row; lane b of
  /// row k times twiddles[k][b], then a transform over b; result j of row k goes to user[rows j + k], times scale.
  /// Reads `in` and twiddles up to a whole multiple of W rows. Not in `scalar`.
  void (*finish)(const T* in, std::size_t rows, T* user, const T* twiddles, bool swapped, T scale) noexcept;

  /// The same, swapped, of which the first `live` results are multiplied by factors (pairs) and stored, re and im
  /// exchanged if `exchanged`. Not in `scalar`.
  void (*finish_products)(const T* in, std::size_t rows, T* user, const T* twiddles, const T* factors, std::size_t live,
                          bool exchanged, T scale) noexcept;

  /// out[i] = scale x[i] y[i] over n pairs; swapped_* exchanges re and im of x and out. out may be x.
  void (*multiply)(const T* x, const T* y, T* out, std::size_t n, bool swapped_in, bool swapped_out, T scale) noexcept;

  /// `count` <= W contiguous lines of n pairs, `distance` elements apart -> n rows of one vector, line c in lane c; the
  /// other lanes are 0.
  void (*load_lines)(const T* user, std::ptrdiff_t distance, std::size_t count, std::size_t n, T* out,
                     std::size_t out_row, bool swapped) noexcept;
  /// The inverse, times scale.
  void (*store_lines)(const T* in, std::size_t in_row, std::size_t n, std::size_t count, T* user,
                      std::ptrdiff_t distance, bool swapped, T scale) noexcept;

  /// The transform of n pairs by its defining sums, times scale; out may be in. 2 <= n <= kLargestDirect.
  /// table: for every vector of results k, 1 <= k <= n / 2, a row (cos, sin) of 2 pi j k / n for each j from 1 to (n -
  /// 1) / 2, and a row ((-1)^k, anything).
  void (*direct)(const T* in, std::size_t n, const T* table, T* out, bool swapped, T scale) noexcept;

  /// The transform of h pairs -> results 0 .. h of that of the 2 h real numbers in them, times scale, where they are.
  /// h >= lanes. table: -i exp(-2 pi i k / (2 h)), k = 0 .. h / 2, pairs. Results k and h - k for k of [begin, end), 0
  /// and h with k = 1: all of them from 1 to h / 2 + 1, or parts, each a multiple of kUntangledGrain long but for the
  /// last, which has more.
  void (*split_line)(T* line, const T* table, std::size_t h, T scale, std::size_t begin, std::size_t end) noexcept;
  /// Results 0 .. h -> h pairs whose inverse transform is the 2 h real numbers, times scale. in and out apart. Parts as
  /// above.
  void (*join_line)(const T* in, const T* table, T* out, std::size_t h, T scale, std::size_t begin,
                    std::size_t end) noexcept;
  /// The same of two rows of an array that is transformed along other axes too, each other's mirror image along those
  /// or the same row, from rows a and b of h + 1 pairs to rows of as many. Of the transform of h pairs element h is
  /// element 0 once more. 2 h >= lanes. table: of exp(-2 pi i k / (2 h)), k = 0 .. h, all (im, im), then all (re, -re).
  void (*split_rows)(const T* a, const T* b, const T* table, T* out_a, T* out_b, std::size_t h, T scale) noexcept;
  void (*join_rows)(const T* a, const T* b, const T* table, T* out_a, T* out_b, std::size_t h, T scale) noexcept;

  /// The same of all `count` rows of a small array, h pairs or h + 1 apart, whose mirror images are rows mirror[i]; in
  /// and out apart. Any h >= 1; whole vectors are read from the table, to lanes elements beyond its end.
  void (*split_all)(const T* rows, const std::uint32_t* mirror, std::size_t count, std::size_t h, const T* table,
                    T* out, T scale) noexcept;
  void (*join_all)(const T* in, const std::uint32_t* mirror, std::size_t count, std::size_t h, const T* table, T* rows,
                   T scale) noexcept;

  /// The transform of n real numbers, or its inverse, as a matrix: out[i] = scale * (in[0] + the sum over j < n - 1 of
  /// the terms times table[j][i]) for i < width; the terms are in[1 ..], of the inverse in[2 ..], whose in[0] counts in
  /// all i, of the forward one in even i. Rows of the table are whole vectors. out may be in; n <= kLargestRealMatrix.
  void (*real_matrix)(const T* in, std::size_t n, const T* table, T* out, std::size_t width, bool forward,
                      T scale) noexcept;
  /// The same of odd n > W, n <= kLargestDirect, by sums of pairs. table: for each j from 1 to n / 2 whole vectors of
  /// pairs (cos, -sin) of 2 pi j k / n, k from 0 to n / 2 and on. Not in `scalar`.
  void (*real_direct)(const T* in, std::size_t n, const T* table, T* out, bool forward, T scale) noexcept;

  /// Of r c real numbers, r and c odd (real_split.kernel.hpp): `count` real columns of r rows -> a block of out_row
  /// elements a row, filled up with zeros; and back, times scale, from a block whose parts have changed places.
  void (*load_reals)(const T* user, std::size_t user_row, std::size_t rows, std::size_t count, T* out,
                     std::size_t out_row) noexcept;
  void (*store_reals)(const T* in, std::size_t in_row, std::size_t rows, std::size_t count, T* user,
                      std::size_t user_row, T scale) noexcept;
  /// As `turn`, of rows 0 to r / 2 of twice the transforms of the first or the other W real columns in a vector.
  void (*turn_real)(const T* in, std::size_t in_row, std::size_t r, bool others, T* out, std::size_t out_row,
                    const T* twiddles, const T* step) noexcept;
  /// As `turn`, without twiddles.
  void (*turn_plain)(const T* in, std::size_t in_row, std::size_t rows, T* out, std::size_t out_row) noexcept;
  /// Rows 0 to r / 2 of in_vectors vectors, times twiddles[k][b] and steps[v][k], as results of real columns -> a block
  /// of r rows of `vectors` complex columns. Parts exchanged in both.
  void (*join_columns)(const T* in, std::size_t in_row, std::size_t r, std::size_t in_vectors, T* out,
                       std::size_t vectors, const T* twiddles, const T* steps, std::size_t step_row) noexcept;
  /// c rows of columns k1 = begin .. begin + count - 1 -> results r k2 + k1 and their mirror images, times scale; and
  /// back, parts exchanged.
  void (*store_mirrored)(const T* in, std::size_t in_row, std::size_t r, std::size_t c, std::size_t begin,
                         std::size_t count, T* out, T scale) noexcept;
  void (*load_mirrored)(const T* in, std::size_t r, std::size_t c, std::size_t begin, std::size_t count, T* out,
                        std::size_t out_row) noexcept;
};

struct FftTable {
  const FftOps<float>& f32;
  const FftOps<double>& f64;
  const FftRoots& roots;
};

}  // namespace pawl
