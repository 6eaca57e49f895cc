// block.kernel.hpp -- a block of the product -> register tiles, and the scaling of C without a product.
#pragma once
#include "kernels/matmul/one_row.kernel.hpp"
#include "kernels/matmul/tile.kernel.hpp"

namespace pawl::PAWL_ISA_NS {

// Rows of B that a tile which reads them where they lie asks for before it needs them: some 100 ns on a core that does
// a row in 14 cycles, and few enough that rows a power of two apart do not push each other out of their sets of L2.
inline constexpr std::size_t kRowsAhead = 32;

// The rows of a block dealt out evenly over its tiles: 16 rows are 8 + 8 and not 14 + 2, since a tile of few rows has
// too few independent FMAs to hide their latency.
struct RowTiles {
  std::size_t count, height, higher;  // the first `higher` tiles have one row more than `height`

  // Without a division for one tile and for two: two of them are a tenth of the time of a product of 16 cubed.
  RowTiles(std::size_t rows, std::size_t most_each)
      : count(rows <= most_each       ? 1
              : rows <= 2 * most_each ? 2
                                      : (rows + most_each - 1) / most_each),
        height(count == 1   ? rows
               : count == 2 ? rows / 2
                            : rows / count),
        higher(rows - height * count) {}
  std::size_t rows(std::size_t t) const { return height + (t < higher ? 1 : 0); }
};

// A panel of B while the rows of A pass by, and what comes after it.
template <class T>
struct Panel {
  const T* b;
  std::size_t b_stride;
  bool packs;           // the first tile reads B where it lies and writes the copy that the others read
  const T* next_b;      // or null
  const T* next_c;      // where the first tile of the next panel begins
  std::size_t vectors;  // of its width
};

// What the tiles of a block ask for while they compute, tile after tile: the part of C that comes next, a share of the
// next panel of B and, in the last panels, the rows of A that the caller will want then.
template <class T>
class Errands {
 public:
  Errands(const MatmulBlock<T>& block, const RowTiles& tiles, std::size_t panels)
      : x_(block),
        tiles_(tiles),
        tiles_left_(tiles.count * panels),
        panel_rows_(block.packed != nullptr ? kRowsAhead + tiles.rows(0) : block.depth),
        writes_(block.next_of_c == NextOfC::below_into_l1),
        hurried_(turns_of(tiles.height) + panel_rows_ / tiles.count >= block.depth / kMostTurn) {
    if (block.next_rows == 0) return;
    a_steps_ = (block.next_cols + kTileCols<T> - 1) / kTileCols<T>;
    // Half of what a tile asks for, so that there is time for C and B.
    a_rows_ = block.depth / (hurried_ ? 2 : 2 * kMostTurn) / a_steps_;
    a_rows_ = a_rows_ < 1 ? 1 : a_rows_ > kMostRows ? kMostRows : a_rows_;
  }

  // For tile t of its panel. `below`: where in C the next one begins.
  const Ahead<T>* of_tile(const Panel<T>& panel, std::size_t t, const T* below) {
    Ahead<T>* to = list_;
    const std::size_t rows = tiles_.rows(t);
    --tiles_left_;
    const T* const b = panel.b;
    // A tile that packs reads B from afar, row after row.
    const bool packs = panel.packs && t == 0;
    const T* const next_c = t + 1 < tiles_.count ? below : panel.next_c;
    if (packs || hurried_)
      *to++ = {next_c, x_.ldc, rows, kSome, true};
    else
      *to++ = {next_c, x_.ldc, turns_of(rows), writes_ ? Ahead<T>::Rows::written : kSome};
    if (packs) {
      *to++ = {b + (kRowsAhead + rows) * panel.b_stride, panel.b_stride, x_.depth - kRowsAhead - rows, kSome, true};
    } else {
      ask_for_panel(to, panel, t);
      ask_for_left(to);
    }
    *to = nothing_ahead(b);
    return list_;
  }

 private:
  static constexpr std::size_t kMostRows = 16;
  static constexpr auto kSome = Ahead<T>::Rows::some;
  std::size_t turns_of(std::size_t rows) const { return writes_ ? turns_to_write(rows) : rows; }

  // A tile's share of the next panel.
  void ask_for_panel(Ahead<T>*& to, const Panel<T>& panel, std::size_t t) const {
    if (panel.next_b == nullptr) return;
    const std::size_t each = panel_rows_ / tiles_.count + 1, begin = (panel.packs ? t - 1 : t) * each;
    if (begin < panel_rows_) *to++ = {panel.next_b + begin * x_.b_stride, x_.b_stride, each, kSome, hurried_};
  }
  void ask_for_left(Ahead<T>*& to) const {
    const std::size_t later = tiles_left_ * a_rows_;  // for the tiles after this one
    if (later >= x_.next_rows) return;
    const std::size_t end = x_.next_rows - later;
    for (std::size_t i = end > a_rows_ ? end - a_rows_ : 0; i < end; ++i)
      *to++ = {x_.next_a + i * x_.next_stride, kTileCols<T>, a_steps_, kSome, hurried_};
  }

  const MatmulBlock<T>& x_;
  const RowTiles& tiles_;
  std::size_t tiles_left_, a_steps_ = 0, a_rows_ = 0;
  std::size_t panel_rows_;  // of the next panel, to be asked for: all or, where its first tile packs, those up to then
  bool writes_;             // C, which is asked for into L1
  bool hurried_;            // so few tiles pass that each asks for a row in each step of depth
  Ahead<T> list_[kMostRows + 3];
};

// What stands in its place where products are over before anything asked for would have come, or where L1 and L2 have
// it all (64 cubed: 2 to 3 % on a Zen 4).
template <class T>
class NoErrands {
 public:
  explicit NoErrands(const MatmulBlock<T>& block) : nothing_(nothing_ahead(block.b)) {}
  const Ahead<T>* of_tile(const Panel<T>&, std::size_t, const T*) const { return &nothing_; }

 private:
  Ahead<T> nothing_;
};

// Where L2 holds A and B, or products are over before they would have come: each tile asks for the lines of C below it,
// to write them.
template <class T>
class BelowErrands {
 public:
  BelowErrands(const MatmulBlock<T>& block, const RowTiles& tiles)
      : tiles_(tiles), ldc_(block.ldc), list_{{}, nothing_ahead(block.b)} {}
  const Ahead<T>* of_tile(const Panel<T>& panel, std::size_t t, const T* below) {
    list_[0] = {t + 1 < tiles_.count ? below : panel.next_c, ldc_, turns_to_write(tiles_.rows(t)),
                Ahead<T>::Rows::written};
    return list_;
  }

 private:
  const RowTiles& tiles_;
  std::size_t ldc_;
  Ahead<T> list_[2];
};

// What is run where tiles do little but write a C that no cache near holds: each asks for the lines of the tile to its
// right, to write them. The caller cuts blocks so low that those lines stay until they are written.
template <class T>
class RightErrands {
 public:
  RightErrands(const MatmulBlock<T>& block, const RowTiles& tiles)
      : tiles_(tiles), ldc_(block.ldc), nothing_(nothing_ahead(block.b)) {}
  const Ahead<T>* of_tile(const Panel<T>&, std::size_t t, const T* below) const {
    constexpr std::size_t kLine = 64 / sizeof(T), kLines = kTileCols<T> / kLine > 1 ? kTileCols<T> / kLine : 1;
    // Of each line the last bytes, as fetch_row() does.
    const T* at = below - tiles_.rows(t) * ldc_ + kTileCols<T> + kLine - 1;
    for (std::size_t i = tiles_.rows(t); i != 0; --i, at += ldc_)
      unroll<kLines>([&](auto l) PAWL_INLINE_LAMBDA { __builtin_prefetch(at + l * kLine, 1, 3); });
    return &nothing_;
  }

 private:
  const RowTiles& tiles_;
  std::size_t ldc_;
  Ahead<T> nothing_;
};

inline constexpr std::size_t kErrandsProducts = 64 * 64 * 64 + 1;  // and kErrandsDepth: from there on errands are run

// All rows of a block for one panel of B, which the caches hold meanwhile. If it is to be packed, the first tile does
// it while it computes, and the others read the copy.
template <class T, class ErrandsT>
PAWL_INLINE void multiply_panel(const MatmulBlock<T>& block, const RowTiles& rows, const Panel<T>& panel,
                                TileCall<T>& call, T* c, ErrandsT& errands) {
  const bool cut = call.tail != lanes<T>;
  const TileFunction<T>* by_rows = tiles<T>(block.a_layout, cut, panel.packs).at[panel.vectors - 1];
  const std::size_t row_step = block.a_layout == LeftLayout::rows ? block.a_stride : 1;
  call.b = panel.b;
  call.b_stride = panel.b_stride;
  const T* a = block.a;
  for (std::size_t t = 0; t < rows.count; ++t) {
    const std::size_t height = rows.rows(t);
    T* const below = c + height * block.ldc;
    by_rows[height - 1](call, a, c, errands.of_tile(panel, t, below));
    a += height * row_step;
    c = below;
    if (panel.packs && t == 0) {
      call.b = call.packed;
      call.b_stride = kTileCols<T>;
      by_rows = tiles<T>(block.a_layout, cut, false).at[panel.vectors - 1];
    }
  }
}

template <class T, class ErrandsT>
PAWL_INLINE void multiply_panels(const MatmulBlock<T>& block, const RowTiles& rows, ErrandsT& errands) {
  constexpr std::size_t W = lanes<T>;
  TileCall<T> call = tile_call_of(block);
  call.packed = block.packed;
  const T* b = block.b;
  for (std::size_t j = 0; j < block.cols; j += kTileCols<T>) {
    const bool last = block.cols - j <= kTileCols<T>;
    const std::size_t cols = last ? block.cols - j : kTileCols<T>, vectors = (cols + W - 1) / W;
    call.tail = cols - (vectors - 1) * W;
    T* const c = block.c + j;
    // After the last panel the first one is asked for: the next block of A meets it again, but not the original of a
    // copy.
    const T* const next_b = !last ? b + block.b_panel : block.packed ? nullptr : block.b;
    const Panel<T> panel{b,      block.b_stride, block.packed != nullptr, next_b, last ? block.c : c + kTileCols<T>,
                         vectors};
    multiply_panel(block, rows, panel, call, c, errands);
    b += block.b_panel;
    if (call.packed) call.packed += block.packed_panel;
  }
}

template <class T>
PAWL_INLINE void multiply_tiles(const MatmulBlock<T>& block) noexcept {
  const RowTiles rows(block.rows, block.tile_rows);
  const bool writes = block.next_of_c == NextOfC::below_into_l1 && block.depth >= kWrittenDepth;
  if (block.next_of_c == NextOfC::right_into_l1) {
    RightErrands<T> errands(block, rows);
    multiply_panels(block, rows, errands);
  } else if (writes && (block.depth < kErrandsDepth || block.operands_are_near)) {
    BelowErrands<T> errands(block, rows);
    multiply_panels(block, rows, errands);
  } else if (block.depth < kErrandsDepth || block.rows * block.cols * block.depth < kErrandsProducts) {
    NoErrands<T> errands(block);
    multiply_panels(block, rows, errands);
  } else {
    Errands<T> errands(block, rows, (block.cols + kTileCols<T> - 1) / kTileCols<T>);
    multiply_panels(block, rows, errands);
  }
}

template <class T>
static void multiply(const MatmulBlock<T>& block) noexcept {
  const bool packed = block.b_stride == kTileCols<T> && block.b_panel != kTileCols<T>;
  if (block.rows != 1 || !packed) [[likely]]
    return multiply_tiles(block);
  const std::size_t done = multiply_one_row_packed(block);
  if (done == block.cols) return;
  MatmulBlock<T> rest = block;
  rest.cols -= done;
  rest.c += done;
  rest.b += done / kTileCols<T> * block.b_panel;
  multiply_tiles(rest);
}

template <class T>
static void scale(T beta, std::size_t rows, std::size_t cols, T* c, std::size_t ldc) noexcept {
  constexpr std::size_t W = lanes<T>;
  const Vec<T> factor(beta);
  for (std::size_t i = 0; i < rows; ++i, c += ldc) {
    std::size_t j = 0;
    if (beta == T(0)) {
      for (; j + W <= cols; j += W) store<T>(c + j, Vec<T>(T(0)));
      if (j < cols) store_first<T>(c + j, Vec<T>(T(0)), cols - j);
    } else {
      for (; j + W <= cols; j += W) store<T>(c + j, factor * load<T>(c + j));
      if (j < cols) store_first<T>(c + j, factor * load_first<T>(c + j, cols - j), cols - j);
    }
  }
}

}  // namespace pawl::PAWL_ISA_NS
