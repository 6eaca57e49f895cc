// sparse_bench.cpp -- our rows of the sparse operations: the public functions, as a user calls them.
#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>

#include "pawl/sparse.hpp"
#include "pawl/sparse/spmv_plan.hpp"
#include "sparse_rows.hpp"

namespace pawl::bench {
namespace {

template <class T>
sparse::Csr<T> csr(const SparseMatrix<T>& a) {
  return sparse::Csr<T>(a.rows, a.cols, a.row_start, a.columns, a.values);
}

template <class T>
CsrArrays<T> arrays(const sparse::Csr<T>& a) {
  return {a.row_start(), a.columns(), a.values()};
}

template <class Run>
double seconds(Run run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An action that makes a matrix anew at each call, after freeing the one before.
template <class T, class Make>
typename SparseImplementation<T>::Build build(Make make) {
  auto result = std::make_shared<std::optional<sparse::Csr<T>>>();
  return {[=] {
            result->reset();
            *result = make();
          },
          [=] { return arrays(**result); }};
}

template <class T>
SparseImplementation<T> pawl_sparse() {
  using M = SparseMatrix<T>;
  return {.impl = "pawl",
          .from_triplets =
              [](const M& a, const Triplets<T>& t, int) {
                const sparse::Coo<T> coo{a.rows, a.cols, t.rows, t.columns, t.values};
                return build<T>([=] { return sparse::to_csr(coo); });
              },
          .transpose =
              [](const M& a, int) {
                const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
                return build<T>([=] { return sparse::transpose(*matrix); });
              },
          .spmv = [](const M& a, std::span<const T> x, std::span<T> y, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            return [=] { sparse::spmv(*matrix, x, y); };
          },
          .spmv_planned = [](const M& a, std::span<const T> x, std::span<T> y, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            const auto plan = std::make_shared<sparse::SpmvPlan<T>>(*matrix);
            return [=] { (void)matrix, plan->multiply(x, y); };
          },
          .spmv_transposed = [](const M& a, std::span<const T> x, std::span<T> y, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            return [=] { sparse::spmv_transposed(*matrix, x, y); };
          },
          .spmm = [](const M& a, std::span<const T> b, std::span<T> c, std::size_t width, bool by_rows, int) -> Action {
            const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
            const auto order = by_rows ? sparse::Order::by_rows : sparse::Order::by_columns;
            const std::size_t b_stride = by_rows ? width : a.cols, c_stride = by_rows ? width : a.rows;
            return [=] { sparse::spmm(*matrix, b, b_stride, c, c_stride, width, order); };
          },
          .square =
              [](const M& a, int) {
                const auto matrix = std::make_shared<sparse::Csr<T>>(csr(a));
                return build<T>([=] { return sparse::spgemm(*matrix, *matrix); });
              },
          .threads = thread_counts()};
}

// What a plan costs and brings: the time of making it, and as counters how many times faster it makes a product
// (speed_up) and after how many products it has paid for itself (break_even). A matrix that a plan leaves as it is has
// speed_up 1 and nothing to pay back but the look at it.
template <class T>
void add_plan_rows(Rows& rows) {
  for (const std::string& kind : sparse_kinds(rows.quick()))
    for (std::size_t n : {std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}})
      if (n <= 10'000 || !rows.quick())
        rows.add(
            RowName("spmv_make_plan", type_name<T>(), "pawl").with("matrix", kind).with("rows", n).with("threads", 1),
            [=](benchmark::State& state) {
              set_num_threads(1);
              const auto a = sparse_matrix<T>(kind, n);
              const sparse::Csr<T> matrix = csr(*a);
              Buffers buffers;
              const auto x = buffers.random<T>(a->cols, 1), y = buffers.make<T>(a->rows);
              const sparse::SpmvPlan<T> plan(matrix);
              plan.multiply(x, y);
              if (!is_spmv<T>(*a, false, x, y)) return state.SkipWithError("wrong result");
              measure(state, [&] {
                const sparse::SpmvPlan<T> made(matrix);
                benchmark::DoNotOptimize(made.bytes());
              });
              const bool is_csr = plan.format() == sparse::SpmvFormat::csr;  // only a sample was read, nothing written
              if (!is_csr)
                set_work(state, {.bytes = csr_bytes(*a) + double(plan.bytes()), .items = double(a->nonzeros())});
              // One after the other, so that a machine that changes its speed changes all three.
              constexpr int kTrials = 9;
              double made = std::numeric_limits<double>::infinity(), direct = made, planned = made;
              for (int i = 0; i < kTrials; ++i) {
                made = std::min(made, seconds([&] { benchmark::DoNotOptimize(sparse::SpmvPlan<T>(matrix).bytes()); }));
                for (int j = 0; j < 2; ++j) {  // the second finds in the caches what such a product leaves there
                  direct = std::min(direct, seconds([&] { sparse::spmv<T, std::int32_t>(matrix, x, y); }));
                }
                for (int j = 0; j < 2; ++j) planned = std::min(planned, seconds([&] { plan.multiply(x, y); }));
              }
              state.counters["speed_up"] = is_csr ? 1 : direct / planned;
              state.counters["plan_in_products"] = made / direct;
              if (!is_csr && direct > planned) state.counters["break_even"] = made / (direct - planned);
            },
            benchmark::kMicrosecond);
}

const Registration rows([](Rows& r) {
  add_plan_rows<double>(r);
  add_sparse_rows<double>(r, pawl_sparse<double>());
  if (!r.quick()) add_sparse_rows<float>(r, pawl_sparse<float>());
});

}  // namespace
}  // namespace pawl::bench
