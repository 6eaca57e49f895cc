// sparse.isa.cpp -- compiled once per ISA; defines that ISA's table of the category `sparse` and nothing else visible.
#include "kernels/sparse/blocks.kernel.hpp"
#include "kernels/sparse/checks.kernel.hpp"
#include "kernels/sparse/csr_rows.kernel.hpp"
#include "kernels/sparse/dense.kernel.hpp"
#include "kernels/sparse/diagonal.kernel.hpp"
#include "kernels/sparse/formats.kernel.hpp"
#include "kernels/sparse/interleave.kernel.hpp"
#include "kernels/sparse/key_rows.kernel.hpp"
#include "kernels/sparse/run_matrix.kernel.hpp"
#include "kernels/sparse/sddmm.kernel.hpp"
#include "kernels/sparse/slot_fill.kernel.hpp"
#include "kernels/sparse/slot_rows.kernel.hpp"
#include "kernels/sparse/sort.kernel.hpp"
#include "kernels/sparse/spmm.kernel.hpp"
#include "kernels/sparse/spmm_columns.kernel.hpp"
#include "kernels/sparse/tile.kernel.hpp"
#include "kernels/sparse/transposed.kernel.hpp"
#include "kernels/tables.hpp"

namespace pawl::PAWL_ISA_NS {

template <class T, class I>
static constexpr SparseOps<T, I> sparse_ops() {
  return {.csr_rows = csr_rows<T, I>,
          .csr_row = csr_row<T, I>,
          .csr_panel = csr_panel<T, I>,
          .csr_columns = kCsrColumns<T, I>,
          .end_of_run = end_of_run<I>,
          .interleave = interleave<T, I>,
          .run_matrix_product = run_matrix_product<T, I>,
          .slice_values = slice_values<T>,
          .csr_transposed = csr_transposed<T, I>,
          .diagonal_slices = diagonal_slices<T, I>,
          .block_rows = block_rows<T, I>,
          .sell_slices = sell_slices<T, I>,
          .sddmm_rows = sddmm_rows<T, I>,
          .count_above = count_above<T>,
          .keep_above = keep_above<T, I>,
          .count_falls = count_falls<I>,
          .count_column_falls = count_column_falls<I>,
          .count_row_falls = count_row_falls<I>,
          .sort_short_row = sort_short_row<T, I>,
          .sort_rows = sort_rows<T, I>,
          .take_tile = take_tile<T, I>,
          .fill_slots = kFillSlots<I>,
          .fill_slots_from_entries = kFillSlotsFromEntries,
          .sort_slots = kSortSlots<T, I>,
          .sort_key_rows = kSortKeyRows<T, I>};
}

constinit const SparseTable sparse_table{.f32_i32 = sparse_ops<float, std::int32_t>(),
                                         .f32_i64 = sparse_ops<float, std::int64_t>(),
                                         .f64_i32 = sparse_ops<double, std::int32_t>(),
                                         .f64_i64 = sparse_ops<double, std::int64_t>()};

}  // namespace pawl::PAWL_ISA_NS
