// rows.cpp -- names, registration and work counters of benchmark rows.
#include "rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace pawl::bench {
namespace {

std::vector<void (*)(Rows&)>& registrations() {
  static std::vector<void (*)(Rows&)> list;
  return list;
}

bool g_percentiles = true, g_core_watched = false;
std::string g_current_row;

// Registers `body` under the row's name, which is current while it runs.
benchmark::internal::Benchmark* register_row(const RowName& row, std::function<void(benchmark::State&)> body) {
  const std::string name = row.name();
  return benchmark::RegisterBenchmark(name.c_str(), [name, run = std::move(body)](benchmark::State& state) {
    if (state.thread_index() == 0) g_current_row = name;
    run(state);
  });
}

bool is_word(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
  });
}

bool is_value(const std::string& text) { return !text.empty() && text.find_first_of("/: \t\n") == std::string::npos; }

}  // namespace

std::string RowName::name() const {
  std::string text = op + "/" + type + "/" + impl;
  bool valid = is_word(op) && is_word(type) && is_word(impl);
  for (const auto& [key, value] : parameters) {
    valid = valid && is_word(key) && is_value(value);
    text.append("/").append(key).append(":").append(value);
  }
  if (!valid) throw std::invalid_argument("benchmark name '" + text + "' is not op/type/impl/key:value/...");
  return text;
}

void Rows::add(const RowName& name, std::function<void(benchmark::State&)> body, benchmark::TimeUnit unit) {
  register_row(name, std::move(body))->Unit(unit);
}

void Rows::add_manually_timed(const RowName& name, std::function<void(benchmark::State&)> body,
                              benchmark::TimeUnit unit) {
  register_row(name, std::move(body))->Unit(unit)->UseManualTime();
}

Registration::Registration(void (*add_rows)(Rows&)) { registrations().push_back(add_rows); }

void register_all_rows(bool quick) {
  Rows rows(quick);
  for (const auto add_rows : registrations()) add_rows(rows);
}

void set_work(benchmark::State& state, const Work& work) {
  using benchmark::Counter;
  const auto iterations = static_cast<double>(state.iterations());
  if (work.flops > 0) state.counters["flops"] = Counter(work.flops, Counter::kIsIterationInvariantRate);
  if (work.bytes > 0) {
    state.counters["bytes"] = Counter(work.bytes, Counter::kIsIterationInvariantRate);
    state.SetBytesProcessed(static_cast<std::int64_t>(work.bytes * iterations));
  }
  if (work.items > 0) state.SetItemsProcessed(static_cast<std::int64_t>(work.items * iterations));
  state.counters["working_set_bytes"] = work.working_set_bytes > 0 ? work.working_set_bytes : work.bytes;
}

const std::string& current_row() noexcept { return g_current_row; }
void forget_current_row() noexcept { g_current_row.clear(); }

bool percentiles_wanted() noexcept { return g_percentiles; }
void want_percentiles(bool wanted) noexcept { g_percentiles = wanted; }

bool core_watched() noexcept { return g_core_watched; }
void watch_core(bool wanted) noexcept { g_core_watched = wanted; }

}  // namespace pawl::bench
