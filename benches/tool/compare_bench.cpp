// compare_bench.cpp -- compare: the texts of two result files -> the change of each benchmark.
//
// Name      compare/json/<impl>/rows:<rows a side>
//           pawl: reading and judging, all of it. compare_py: the method of google/benchmark's compare.py
//           (tools/gbench/report.py, partition_benchmarks) in C++: for every name of the base both files are searched
//           from the start, and the change of the first of each is taken. Python itself takes longer still.
// Counters  bytes (of both texts, per second), items (rows of both per second), p50 p95 p99, memory of Google Benchmark
// Question  is a verdict linear in the rows, where compare.py is quadratic?
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "decide/judge.hpp"
#include "read/read.hpp"
#include "results_text.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

using nlohmann::json;

// The sum of the changes, which tells whether every row was compared with its own.
using Method = double (*)(const std::string& base, const std::string& now);

double by_pawl(const std::string& base, const std::string& now) {
  const model::ResultSet a = read::read_bytes(base, "a.json"), b = read::read_bytes(now, "b.json");
  const decide::Judgement judgement = decide::judge(a, b, {});
  double sum = 0;
  for (const auto* part : {&judgement.comparisons, &judgement.folded})
    for (const decide::Comparison& c : *part)
      if (c.metric == model::kRealTime) sum += c.change;
  return sum;
}

double by_compare_py(const std::string& base, const std::string& now) {
  using Row = std::pair<std::string, double>;
  const auto rows_of = [](const std::string& text) {
    std::vector<Row> rows;
    const json document = json::parse(text);
    for (const json& row : document.at("benchmarks"))
      rows.emplace_back(row.at("name").get<std::string>(), row.at("real_time").get<double>());
    return rows;
  };
  const std::vector<Row> a = rows_of(base), b = rows_of(now);
  double sum = 0;
  for (const Row& wanted : a) {
    std::vector<double> before, after;
    for (const Row& row : a)
      if (row.first == wanted.first) before.push_back(row.second);
    for (const Row& row : b)
      if (row.first == wanted.first) after.push_back(row.second);
    if (!after.empty()) sum += (after[0] - before[0]) / before[0];
  }
  return sum;
}

void add_row(Rows& rows, const char* impl, std::size_t count, Method method) {
  rows.add(
      RowName("compare", "json", impl).with("rows", count),
      [=](benchmark::State& state) {
        const std::string base = results_text(count, 1), now = results_text(count, 2);
        // The methods are checked against each other where the quadratic one is quick.
        constexpr std::size_t kQuick = 1000;
        const std::string few = results_text(kQuick, 1), other = results_text(kQuick, 2);
        const double expected = by_compare_py(few, other);
        if (!(std::fabs(method(few, other) - expected) <= 1e-9 * std::fabs(expected)))
          return state.SkipWithError("wrong result: not the changes of compare.py");
        measure(state, [&] { benchmark::DoNotOptimize(method(base, now)); });
        set_work(state,
                 {.bytes = static_cast<double>(base.size() + now.size()), .items = 2 * static_cast<double>(count)});
      },
      benchmark::kMillisecond);
}

const Registration rows([](Rows& r) {
  if (r.quick()) return add_row(r, "pawl", 1000, by_pawl);
  for (const std::size_t count : {1000U, 10000U, 100000U}) add_row(r, "pawl", count, by_pawl);
  // Ten times the rows would take it a hundred times as long.
  for (const std::size_t count : {1000U, 10000U}) add_row(r, "compare_py", count, by_compare_py);
});

}  // namespace
}  // namespace pawl::bench
