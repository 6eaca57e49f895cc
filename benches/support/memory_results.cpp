// memory_results.cpp -- see memory_results.hpp.
#include "memory_results.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace pawl::bench {
namespace {

using Run = MemoryResults::Run;

// A library that is mended may let a run hold its result itself.
template <class R>
constexpr bool points = std::is_pointer_v<decltype(R::memory_result)>;

template <class R>
bool has_result(const R& run) {
  if constexpr (points<R>)
    return run.memory_result != nullptr;
  else
    return false;
}

template <class R>
void set_result([[maybe_unused]] R& run, [[maybe_unused]] const MemoryResults::Result* result) {
  if constexpr (points<R>) run.memory_result = result;
}

}  // namespace

void MemoryResults::add(const std::string& row, const Result& result) {
  if (!row.empty()) return of_row_[row].push_back(result);
  // Both reporters, of the display and of the file, may want what is there until the next pass.
  if (std::exchange(unnamed_reported_, false)) unnamed_.clear();
  unnamed_.push_back(result);
}

std::vector<Run> MemoryResults::with_results(const std::vector<Run>& runs) {
  std::vector<Run> out = runs;
  const auto measured = static_cast<std::size_t>(std::ranges::count_if(out, has_result<Run>));
  if (measured == 0) return out;
  const auto found = of_row_.find(out.front().run_name.function_name);
  const bool named = found != of_row_.end();
  // Runs that failed have no result, though their passes were counted: then the order says nothing.
  const bool in_order = !named && measured == out.size() && measured == unnamed_.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!has_result(out[i])) continue;
    const std::size_t pass = named ? static_cast<std::size_t>(out[i].repetition_index) : i;
    const Result* result = nullptr;
    if (named && pass < found->second.size()) result = &found->second[pass];
    if (in_order) result = &unnamed_[pass];
    set_result(out[i], result);
  }
  unnamed_reported_ = unnamed_reported_ || !named;
  return out;
}

}  // namespace pawl::bench
