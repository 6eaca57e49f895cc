// sparse_table.hpp -- the entries of the category `sparse`, for one type of values and one of indices.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pawl/sparse/diagonal_slot.hpp"

namespace pawl {

/// The longest row that sort_short_row takes.
inline constexpr std::size_t kShortRow = 64;

/// Rows that csr_rows treats alike; parts of a matrix for threads begin at multiples, so that results do not depend on
/// the number of threads.
inline constexpr std::size_t kRowChunk = 128;

/// Rows of a slice of a plan: 64 bytes of values, the widest vector there is.
template <class T>
inline constexpr std::size_t kSliceRows = 64 / sizeof(T);

/// How a matrix is read: `small` where branch predictors remember the length of each row, `scattered` where L3 keeps
/// the matrix and x is read at random beyond L2, so that both wait, `beyond_caches` where memory is waited for,
/// `scattered_beyond` where both are so. The last three ask for what comes later.
enum class CsrSize : unsigned char { small, in_caches, scattered, beyond_caches, scattered_beyond };

/// Where a product's dense matrices lie: `in_l2` B at least, `in_l3` both, or beyond. Not in L2: rows of B are asked
/// for before they are needed. Beyond L3: C is written past the caches.
enum class DenseSize : unsigned char { in_l2, in_l3, beyond_caches };

/// Rows with nothing special, with columns that come several times, of mostly at most 4 entries.
enum class RowKind : unsigned char { any, repeating, very_short };

/// Rows one after another, their entries in any order, and where they go: what sort_rows reads and how far it came.
template <class T, class I>
struct RowsToSort {
  const I* ends;     ///< row r of the block has the entries up to ends[r], from ends[r - 1] or 0 on
  std::size_t rows;  ///< of the block
  const I* columns;  ///< 16 elements after the last entry can be read, here and in `values`
  const T* values;
  I* start;  ///< start[r] becomes base + the entries before row r
  std::size_t base;
  I* out_columns;  ///< `room` elements can be written, here and in out_values
  T* out_values;
  std::size_t room;      ///< at least the number of entries
  bool few_columns;      ///< all columns are below 2^27
  RowKind kind;          ///< of most rows: changes nothing but the speed
  std::size_t row = 0;   ///< the next row,
  std::size_t from = 0;  ///< where it begins,
  std::size_t out = 0;   ///< and where it goes
};

/// Rows beside each other in slots, the most entries of a row that are sorted in registers, and that it has slots for.
inline constexpr std::size_t kSlotRows = 16, kNetworkSlots = 32, kMostSlots = 64;

/// What sort_slots returns where a row has more entries than slots.
inline constexpr std::size_t kTooLong = ~std::size_t{0};

/// Rows whose entries wait in slots, kSlotRows rows beside each other. The entry in slot s of row r is
/// keys[r / kSlotRows * group_keys + kSlotRows * s + r % kSlotRows]: its column << place_bits | the place of its value.
struct Slots {
  std::uint32_t* keys;
  std::uint32_t mask;            ///< one less than their number, a power of two: a row that is too long stays within it
  std::uint32_t* next;           ///< where the next entry of each row goes, for a multiple of kSlotRows rows
  std::size_t group_keys, most;  ///< keys of kSlotRows rows, and slots of each
  unsigned place_bits;
};

/// Triplets that are to be put into slots; an index above the last row or column, or below 0, is out of range.
template <class I>
struct SlotTriplets {
  const I *rows, *columns;
  std::size_t n;
  I last_row, last_column;
  Slots slots;
};

/// Entries of a block of rows that are to be put into slots: a value of `value_bytes`, then the row within the block <<
/// column_bits | column.
struct SlotEntries {
  const void* entries;
  std::size_t n, value_bytes;
  unsigned column_bits;
  bool by_runs;  ///< most entries have the row of the one before
  Slots slots;
};

/// Rows in slots and where they go.
template <class T, class I>
struct SlotRows {
  Slots slots;
  std::size_t rows;
  const void* values;  ///< `value_stride` bytes apart: sizeof(T), or four more
  std::size_t value_stride;
  I* start;  ///< start[r] becomes base + the entries before row r
  std::size_t base;
  I* columns;  ///< `room` elements can be written, here and in `out_values`
  T* out_values;
  std::size_t room;  ///< at least the number of entries
};

/// Classes of rows by their lengths, as sort_key_rows divides them.
inline constexpr std::size_t kKeyClasses = 8;

/// Rows of keys, a column << place_bits | the place of the value, and where they go: row r has those from starts[r] up
/// to starts[r + 1], in any order. starts[rows + 1] is starts[rows], more than 0.
template <class T, class I>
struct KeyRows {
  const std::uint32_t* keys;
  std::uint32_t* other;  ///< room for as many keys and 32 more
  const std::uint32_t* starts;
  std::size_t rows;
  std::uint32_t* lists;  ///< kKeyClasses times rows + 16 elements
  std::uint32_t* spare;  ///< as many elements as there are keys, rounded up to a multiple of 256; aligned to 64 bytes
  unsigned place_bits;
  const void* values;  ///< from here on as in SlotRows
  std::size_t value_stride;
  I* start;
  std::size_t base;
  I* columns;
  T* out_values;
  std::size_t room;
};

/// A dense tile of sums, all of them -0 where there is no bit, and where the rows with its entries go.
template <class T, class I>
struct TileRows {
  T* sums;  ///< row r begins at r * stride; a vector behind the last row can be read
  std::size_t stride;
  std::uint64_t* bits;  ///< `words` of 64 columns each for every row
  std::size_t words, rows;
  I* start;  ///< start[r] becomes base + the entries before row r
  std::size_t base;
  I* columns;  ///< `room` elements can be written, here and in `values`
  T* values;
  std::size_t room;  ///< at least the number of entries
};

/// What most neighbouring rows have in common: nothing, that each is the one before moved by one column, or the
/// columns.
enum class RowLikeness : unsigned char { none, moved, equal };

/// A piece of a diagonal in CSR: its first entry is the one at `at` in row `row`, the next one is `step` entries and a
/// row on.
struct DiagonalPiece {
  std::size_t row, at, step;
};

/// The widest row of a product that run_matrix_product makes.
inline constexpr std::size_t kRunProductWidth = 256;

/// Rows of a matrix one after another, with as many entries each: what one column of moved rows is multiplied by.
template <class T>
struct RunFactor {
  const T* values;            ///< of the first row
  std::size_t entries;        ///< of a row
  const std::uint8_t* slots;  ///< which entry of the result's row each goes to
};

/// A sampled product: out[k] = values[k] times the dot product of row r of u and row columns[k] of v, for the entries k
/// of row r.
template <class T, class I>
struct SddmmWork {
  const I *start, *columns;
  std::size_t rows;
  const T *values, *u;
  std::size_t ldu;
  const T* v;
  std::size_t ldv;
  /// The rows of v from padded_from on are read here, where a vector behind each can be read too: a masked load that
  /// reaches into a missing page takes 140 ns instead of 0.8 (Zen 4).
  const T* v_padded;
  std::size_t padded_from, width;
  T* out;
  bool fetch;  ///< rows of v are asked for before they are needed: they are not in L2
};

template <class T, class I>
struct SparseOps {
  /// y[r] = sum of values[k] x[columns[k]] for start[r] <= k < start[r + 1], for begin <= r < end.
  void (*csr_rows)(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                   std::size_t end, CsrSize size) noexcept;
  /// The sum of values[k] x[columns[k]] for k < n.
  T (*csr_row)(const I* columns, const T* values, const T* x, std::size_t n) noexcept;
  /// c[(r - begin) * ldc + j] = sum of values[k] b[columns[k] * ldb + j] for j < width, rows as above.
  void (*csr_panel)(const I* start, const I* columns, const T* values, const T* b, std::size_t ldb, T* c,
                    std::size_t ldc, std::size_t width, std::size_t begin, std::size_t end, DenseSize size) noexcept;
  /// c[r + j * ldc] = sum of values[k] b[columns[k] + j * ldb] for j < width, rows as above: fast where each is the row
  /// before it moved by one column. Null where the ISA has nothing to gain.
  void (*csr_columns)(const I* start, const I* columns, const T* values, const T* b, std::size_t ldb, T* c,
                      std::size_t ldc, std::size_t width, std::size_t begin, std::size_t end) noexcept;
  /// The first row behind `row`, at most `last`, that is not the row before it moved by one column.
  std::size_t (*end_of_run)(const I* start, const I* columns, std::size_t row, std::size_t last) noexcept;
  /// For i < n and s < count: rows[i * count + s] = pieces[s].row + i, out[i * count + s] = values[pieces[s].at + i *
  /// pieces[s].step].
  void (*interleave)(const DiagonalPiece* pieces, std::size_t count, const T* values, std::size_t n, I* rows,
                     T* out) noexcept;
  /// For i < rows: columns[i * width + s] = first[s] + i, and values[i * width + s] = the sum, by ascending k < n, of
  /// a[i * n + k] factors[k].values[i * entries + m] where factors[k].slots[m] is s. width <= kRunProductWidth.
  void (*run_matrix_product)(const T* a, std::size_t n, const RunFactor<T>* factors, std::size_t rows, const I* first,
                             std::size_t width, I* columns, T* values) noexcept;
  /// out[k * kSliceRows + i] = values[i * n + k] for k < n, i < kSliceRows: rows of n entries to a slice's slots.
  void (*slice_values)(const T* values, std::size_t n, T* out) noexcept;
  /// y[columns[k]] += values[k] x[r] for start[r] <= k < start[r + 1], begin <= r < end.
  /// rewritten: sums of a row were just written by the one before. ahead: entries and their sums are asked for before
  /// their turn. unlike: rows differ in length, and are too many for the ends of loops over them to be foreseen.
  void (*csr_transposed)(const I* start, const I* columns, const T* values, const T* x, T* y, std::size_t begin,
                         std::size_t end, RowLikeness likeness, bool rewritten, bool ahead, bool unlike) noexcept;
  /// y of the slices [begin, end): slice s has the slots slot_start[s] <= k < slot_start[s + 1], whose values are
  /// values[k * kSliceRows] on, and begins at row s * kSliceRows; there are `rows` rows.
  void (*diagonal_slices)(const std::size_t* slot_start, const DiagonalSlot<I>* slots, const T* values, const T* x,
                          T* y, std::size_t rows, std::size_t begin, std::size_t end) noexcept;
  /// y of the block rows [begin, end) of blocks of block x block values; y has `block` elements for each. Blocks of the
  /// column `last` take x_last[0 .. block) instead of x; -1: none.
  void (*block_rows)(std::size_t block, const I* start, const I* columns, const T* values, const T* x, const T* x_last,
                     I last, T* y, std::size_t begin, std::size_t end) noexcept;
  /// y[order[s * kSliceRows + lane]] of the slices [begin, end), slots as in Sell.
  void (*sell_slices)(const std::size_t* slot_start, const std::uint8_t* active, const I* columns, const T* values,
                      const I* order, const T* x, T* y, std::size_t rows, std::size_t begin, std::size_t end) noexcept;
  /// The rows [begin, end) of a sampled product.
  void (*sddmm_rows)(const SddmmWork<T, I>& work, std::size_t begin, std::size_t end) noexcept;
  /// How many of p[0 .. n) have |p[i]| > threshold or are NaN.
  std::size_t (*count_above)(const T* p, std::size_t n, T threshold) noexcept;
  /// Those, and where they are: columns and values have room for kSliceRows<T> elements more than there are. Returns
  /// how many.
  std::size_t (*keep_above)(const T* p, std::size_t n, T threshold, I* columns, T* values) noexcept;
  /// How many start[k + 1], k < n, are less than start[k].
  std::size_t (*count_falls)(const I* start, std::size_t n) noexcept;
  /// How many columns[k], 0 < begin <= k < end, are not more than columns[k - 1]; -1 if one of them is not within
  /// 0 .. last.
  std::size_t (*count_column_falls)(const I* columns, std::size_t begin, std::size_t end, I last) noexcept;
  /// How many of the rows [begin, end) have entries and a first column not more than the column of the entry before.
  /// All of them start behind the first entry and before the end of all.
  std::size_t (*count_row_falls)(const I* start, const I* columns, std::size_t begin, std::size_t end) noexcept;
  /// Stable sort of 1 <= n <= kShortRow entries by column into the out arrays; whether a column came twice.
  bool (*sort_short_row)(const I* columns, const T* values, std::size_t n, I* out_columns, T* out_values) noexcept;
  /// The same for all rows from work.row on, adding entries of one place; stops before a row longer than kShortRow.
  void (*sort_rows)(RowsToSort<T, I>& work) noexcept;
  /// Writes the entries of a tile, of which none is left in it. Returns how many.
  std::size_t (*take_tile)(const TileRows<T, I>& tile) noexcept;
  /// Puts triplets into slots; whether all were within range. Null, as sort_slots, on ISAs other than avx2 and avx512.
  bool (*fill_slots)(const SlotTriplets<I>& work) noexcept;
  void (*fill_slots_from_entries)(const SlotEntries& work) noexcept;
  /// Sorts rows in slots and adds up what is of one place. Returns how many entries are left, or kTooLong.
  std::size_t (*sort_slots)(const SlotRows<T, I>& work) noexcept;
  /// The same for rows of any length behind each other.
  std::size_t (*sort_key_rows)(const KeyRows<T, I>& work) noexcept;
};

struct SparseTable {
  SparseOps<float, std::int32_t> f32_i32;
  SparseOps<float, std::int64_t> f32_i64;
  SparseOps<double, std::int32_t> f64_i32;
  SparseOps<double, std::int64_t> f64_i64;
};

}  // namespace pawl
