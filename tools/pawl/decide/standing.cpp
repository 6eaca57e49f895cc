// standing.cpp -- see standing.hpp.
#include "decide/standing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace pawl::decide {
namespace {

// What is wrong with a reading; empty if nothing is.
std::string fault(const model::Reading& reading) {
  if (reading.status != model::Status::ok) {
    const char* what = reading.status == model::Status::failed ? "fails" : "is skipped";
    return fmt::format("{}{}{}", what, reading.message.empty() ? "" : ": ", reading.message);
  }
  if (reading.series.empty()) return "has no measurement";
  const model::Series* times = reading.find(model::kRealTime);
  if (times == nullptr) return {};
  const bool usable = std::ranges::any_of(times->values, [](double v) { return std::isfinite(v) && v > 0; });
  return usable ? "" : "has times that are 0, negative or no numbers";
}

}  // namespace

Standing standing_of(const model::Benchmark& benchmark) {
  Standing standing;
  for (const model::Reading& reading : benchmark.readings) {
    std::string why = fault(reading);
    standing.skipped += reading.status == model::Status::skipped;
    if (why.empty()) {
      ++standing.measured;
    } else if (standing.failed++ == 0) {
      standing.why = std::move(why);
    }
  }
  return standing;
}

}  // namespace pawl::decide
