// tables.hpp -- the catalogue of kernels: one struct of function pointers per category, one instance per ISA.
//
// The instances are constant-initialised in <category>.isa.cpp, so that no wide code runs before main.
#pragma once
#include <array>
#include <cstddef>

#include "isa/isa_list.hpp"
#include "kernels/layout/layout_table.hpp"
#include "kernels/math/math_table.hpp"
#include "kernels/matmul/matmul_table.hpp"
#include "kernels/quant/quant_table.hpp"
#include "kernels/reduce/reduce_table.hpp"
#include "kernels/rows/rows_table.hpp"
#include "kernels/simd/simd_table.hpp"
#include "kernels/sparse/sparse_table.hpp"
#include "pawl/isa.hpp"

namespace pawl {

// Not included: every ISA object of every category would depend on them.
struct FftTable;     // kernels/fft/fft_table.hpp
struct RandomTable;  // kernels/random/random_table.hpp

#define PAWL_DECLARE_TABLES(isa)         \
  namespace isa {                        \
  extern const SimdTable simd_table;     \
  extern const MathTable math_table;     \
  extern const RowsTable rows_table;     \
  extern const ReduceTable reduce_table; \
  extern const LayoutTable layout_table; \
  extern const MatmulTable matmul_table; \
  extern const QuantTable quant_table;   \
  extern const SparseTable sparse_table; \
  extern const FftTable fft_table;       \
  extern const RandomTable random_table; \
  }
PAWL_FOR_EACH_ISA(PAWL_DECLARE_TABLES)
#undef PAWL_DECLARE_TABLES

/// <category>_table(isa): the table of one variant, that of `scalar` where it is not compiled in. Cost: a load from an
/// array.
#define PAWL_PLACE_TABLE(isa) tables[static_cast<std::size_t>(Isa::isa)] = &isa::PAWL_TABLE;
#define PAWL_TABLES_OF(Type)                                                   \
  [] {                                                                         \
    std::array<const Type*, static_cast<std::size_t>(Isa::neon) + 1> tables{}; \
    for (const Type*& table : tables) table = &scalar::PAWL_TABLE;             \
    PAWL_FOR_EACH_ISA(PAWL_PLACE_TABLE)                                        \
    return tables;                                                             \
  }()

#define PAWL_TABLE simd_table
inline constexpr auto kSimdTables = PAWL_TABLES_OF(SimdTable);
#undef PAWL_TABLE
inline const SimdTable& simd_table(Isa isa) noexcept { return *kSimdTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE math_table
inline constexpr auto kMathTables = PAWL_TABLES_OF(MathTable);
#undef PAWL_TABLE
inline const MathTable& math_table(Isa isa) noexcept { return *kMathTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE rows_table
inline constexpr auto kRowsTables = PAWL_TABLES_OF(RowsTable);
#undef PAWL_TABLE
inline const RowsTable& rows_table(Isa isa) noexcept { return *kRowsTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE reduce_table
inline constexpr auto kReduceTables = PAWL_TABLES_OF(ReduceTable);
#undef PAWL_TABLE
inline const ReduceTable& reduce_table(Isa isa) noexcept { return *kReduceTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE layout_table
inline constexpr auto kLayoutTables = PAWL_TABLES_OF(LayoutTable);
#undef PAWL_TABLE
inline const LayoutTable& layout_table(Isa isa) noexcept { return *kLayoutTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE matmul_table
inline constexpr auto kMatmulTables = PAWL_TABLES_OF(MatmulTable);
#undef PAWL_TABLE
inline const MatmulTable& matmul_table(Isa isa) noexcept { return *kMatmulTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE quant_table
inline constexpr auto kQuantTables = PAWL_TABLES_OF(QuantTable);
#undef PAWL_TABLE
inline const QuantTable& quant_table(Isa isa) noexcept { return *kQuantTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE sparse_table
inline constexpr auto kSparseTables = PAWL_TABLES_OF(SparseTable);
#undef PAWL_TABLE
inline const SparseTable& sparse_table(Isa isa) noexcept { return *kSparseTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE fft_table
inline constexpr auto kFftTables = PAWL_TABLES_OF(FftTable);
#undef PAWL_TABLE
inline const FftTable& fft_table(Isa isa) noexcept { return *kFftTables[static_cast<std::size_t>(isa)]; }

#define PAWL_TABLE random_table
inline constexpr auto kRandomTables = PAWL_TABLES_OF(RandomTable);
#undef PAWL_TABLE
inline const RandomTable& random_table(Isa isa) noexcept { return *kRandomTables[static_cast<std::size_t>(isa)]; }

#undef PAWL_TABLES_OF
#undef PAWL_PLACE_TABLE

}  // namespace pawl
