// derived.cpp -- see derived.hpp.
#include "decide/derived.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "decide/sample.hpp"

namespace pawl::decide {
namespace {

constexpr double kRounding = 1.005;

bool is_constant_work(const Match& match, const model::Interned& rate, const char* time) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  std::size_t joined = 0;
  for (const model::Benchmark* benchmark : {match.base, match.now})
    for (const model::Reading& reading : benchmark->readings) {
      const model::Series *rates = reading.find(rate), *times = reading.find(time);
      if (reading.status != model::Status::ok || rates == nullptr || rates->values.empty()) continue;
      if (times == nullptr || times->values.size() != rates->values.size()) return false;
      for (std::size_t i = 0; i < rates->values.size(); ++i) {
        const double work = rates->values[i] * times->values[i];
        if (!(work > 0) || std::isinf(work)) return false;
        least = std::min(least, work);
        most = std::max(most, work);
        ++joined;
      }
    }
  return joined >= 2 && most <= least * kRounding;
}

}  // namespace

bool is_work_over_time(const Match& match, const model::Interned& rate) {
  return is_constant_work(match, rate, model::kRealTime) || is_constant_work(match, rate, model::kCpuTime);
}

}  // namespace pawl::decide
