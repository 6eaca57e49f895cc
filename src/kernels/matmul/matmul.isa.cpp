// matmul.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `matmul` and nothing else visible.
#include "kernels/matmul/block.kernel.hpp"
#include "kernels/matmul/dot_lines.kernel.hpp"
#include "kernels/matmul/few_rows.kernel.hpp"
#include "kernels/matmul/finish.kernel.hpp"
#include "kernels/matmul/pack.kernel.hpp"
#include "kernels/matmul/strips.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T>
static constexpr MatmulOps<T> matmul_ops() {
  return {.tile_rows = kTileRows,
          .tile_cols = kTileCols<T>,
          .multiply = multiply<T>,
          .multiply_strips = multiply_strips<T>,
          .strip_rows = kStripRows,
          .strip_cols = kStripVectors * lanes<T>,
          .multiply_few_rows = multiply_few_rows<T>,
          .few_rows_cols = kFewRows<T>.cols,
          .multiply_dots = multiply_dots<T>,
          .dot_rows = kDotRows,
          .dot_cols = kDotTiles<T>.cols,
          .pack_b = pack_b<T>,
          .copy_rows = copy_rows<T>,
          .finish = finish<T>,
          .scale = scale<T>};
}

constinit const MatmulTable matmul_table{.f32 = matmul_ops<float>(), .f64 = matmul_ops<double>()};

}  // namespace pawl::PAWL_ISA_NS
