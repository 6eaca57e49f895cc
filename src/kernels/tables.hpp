// tables.hpp -- the catalogue of kernels: one struct of function pointers per category, one instance per ISA.
//
// The instances are constant-initialised in <category>.isa.cpp, so that no wide code runs before main.
#pragma once
#include "isa/isa_list.hpp"
#include "kernels/math/math_table.hpp"
#include "kernels/matmul/matmul_table.hpp"
#include "kernels/rows/rows_table.hpp"
#include "kernels/simd/simd_table.hpp"
#include "pawl/isa.hpp"

namespace pawl {

#define PAWL_DECLARE_TABLES(isa)         \
  namespace isa {                        \
  extern const SimdTable simd_table;     \
  extern const MathTable math_table;     \
  extern const RowsTable rows_table;     \
  extern const MatmulTable matmul_table; \
  }
PAWL_FOR_EACH_ISA(PAWL_DECLARE_TABLES)
#undef PAWL_DECLARE_TABLES

/// The table of a category for one compiled variant. Cost: a switch over the variants, no call.
#define PAWL_TABLE_CASE(isa, table) \
  case Isa::isa:                    \
    return isa::table;
#define PAWL_TABLE_CASE_SIMD(isa) PAWL_TABLE_CASE(isa, simd_table)
#define PAWL_TABLE_CASE_ROWS(isa) PAWL_TABLE_CASE(isa, rows_table)
#define PAWL_TABLE_CASE_MATH(isa) PAWL_TABLE_CASE(isa, math_table)
#define PAWL_TABLE_CASE_MATMUL(isa) PAWL_TABLE_CASE(isa, matmul_table)

inline const SimdTable& simd_table(Isa isa) noexcept {
  switch (isa) {
    PAWL_FOR_EACH_ISA(PAWL_TABLE_CASE_SIMD)
    default:
      return scalar::simd_table;
  }
}

inline const MathTable& math_table(Isa isa) noexcept {
  switch (isa) {
    PAWL_FOR_EACH_ISA(PAWL_TABLE_CASE_MATH)
    default:
      return scalar::math_table;
  }
}

inline const RowsTable& rows_table(Isa isa) noexcept {
  switch (isa) {
    PAWL_FOR_EACH_ISA(PAWL_TABLE_CASE_ROWS)
    default:
      return scalar::rows_table;
  }
}

inline const MatmulTable& matmul_table(Isa isa) noexcept {
  switch (isa) {
    PAWL_FOR_EACH_ISA(PAWL_TABLE_CASE_MATMUL)
    default:
      return scalar::matmul_table;
  }
}

#undef PAWL_TABLE_CASE_MATMUL
#undef PAWL_TABLE_CASE_MATH
#undef PAWL_TABLE_CASE_ROWS
#undef PAWL_TABLE_CASE_SIMD
#undef PAWL_TABLE_CASE

}  // namespace pawl
