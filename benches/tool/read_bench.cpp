// read_bench.cpp -- read: the text of a result file -> its rows.
//
// Name      read/json/<impl>/rows:<rows>
//           pawl: all of it, to a ResultSet. nlohmann-dom: its tree alone; nlohmann-sax: its events alone, all ignored.
// Counters  bytes (of text, per second), items (rows per second), p50 p95 p99, memory of Google Benchmark
// Question  is reading linear in the rows, and faster than a JSON library needs before anything is understood?
#include <nlohmann/json.hpp>
#include <string>

#include "read/read.hpp"
#include "results_text.hpp"
#include "rows.hpp"

namespace pawl::bench {
namespace {

using nlohmann::json;

struct IgnoreEvents : nlohmann::json_sax<json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }
};

void add_row(Rows& rows, const char* impl, std::size_t count, std::size_t (*read)(const std::string&)) {
  rows.add(
      RowName("read", "json", impl).with("rows", count),
      [=](benchmark::State& state) {
        const std::string text = results_text(count, 1);
        if (read(text) != count) return state.SkipWithError("wrong result");
        measure(state, [&] { benchmark::DoNotOptimize(read(text)); });
        set_work(state, {.bytes = static_cast<double>(text.size()), .items = static_cast<double>(count)});
      },
      benchmark::kMillisecond);
}

const Registration rows([](Rows& r) {
  const auto pawl_rows = [](const std::string& text) { return read::read_bytes(text, "bench.json").benchmarks.size(); };
  const auto dom_rows = [](const std::string& text) { return json::parse(text).at("benchmarks").size(); };
  const auto sax_rows = [](const std::string& text) {
    struct Count : IgnoreEvents {
      std::size_t objects = 0;
      bool start_object(std::size_t) override { return ++objects > 0; }
    } events;
    return json::sax_parse(text, &events) ? events.objects - 2 : 0;  // without the document and its context
  };
  if (r.quick()) return add_row(r, "pawl", 1000, pawl_rows);
  for (const std::size_t count : {1000U, 10000U, 100000U}) {
    add_row(r, "pawl", count, pawl_rows);
    add_row(r, "nlohmann-dom", count, dom_rows);
    add_row(r, "nlohmann-sax", count, sax_rows);
  }
});

}  // namespace
}  // namespace pawl::bench
