// metric_class.cpp -- see metric_class.hpp.
#include "decide/metric_class.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>
#include <vector>

#include "model/results.hpp"

namespace pawl::decide {
namespace {

// "max_abs_error" -> max, abs, error; "MSE" -> mse; "maxUlp" -> max, ulp.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_lower = false;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) == 0 || (was_lower && std::isupper(u) != 0)) {
      if (!words.back().empty()) words.emplace_back();
    }
    if (std::isalnum(u) != 0) words.back().push_back(static_cast<char>(std::tolower(u)));
    was_lower = std::islower(u) != 0;
  }
  return words;
}

class Words {
 public:
  explicit Words(std::string_view name) : words_(words_of(name)) {}
  bool have(std::initializer_list<std::string_view> wanted) const {
    return std::ranges::any_of(
        words_, [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
  }
  bool is_quality() const {
    return have({"accuracy", "acc", "snr", "sqnr", "psnr", "recall", "precision", "f1", "hit", "hits", "efficiency",
                 "speedup", "success"}) ||
           are({"speed", "up"});
  }
  bool is_fault() const {
    return have({"error", "errors",  "err",      "miss",      "misses",   "missed", "drop",
                 "drops", "dropped", "loss",     "failure",   "failures", "fault",  "faults",
                 "stall", "stalls",  "conflict", "conflicts", "abort",    "aborts"});
  }
  bool end_in_per_second() const {
    static const std::vector<std::string_view> kSeconds = {"second", "seconds", "sec", "s"};
    return words_.size() >= 2 && words_[words_.size() - 2] == "per" &&
           std::ranges::find(kSeconds, words_.back()) != kSeconds.end();
  }

 private:
  bool are(std::initializer_list<std::string_view> wanted) const { return std::ranges::equal(words_, wanted); }

  std::vector<std::string> words_;
};

bool is_rate(std::string_view metric, const Words& words) {
  if (metric == kBytes || words.end_in_per_second()) return true;
  for (const std::string_view end : {"/s", "/sec", "/second"})
    if (metric.ends_with(end)) return true;
  // A rate of misses or hits is a share.
  if (words.have({"rate"}) && !words.is_fault() && !words.is_quality()) return true;
  return words.have({"flops",      "mflops",  "gflops",    "tflops", "ops",  "kops", "mops", "gops", "tops", "iops",
                     "throughput", "goodput", "bandwidth", "gbps",   "mbps", "qps",  "ips",  "rps",  "tps",  "fps"});
}

}  // namespace

std::string_view metric_class(std::string_view metric) {
  if (metric == model::kRealTime || metric == model::kCpuTime) return "time";
  if (metric == kVariance) return "variance";
  const Words words(metric);
  // Rates first: errors_per_second is one.
  if (is_rate(metric, words)) return "throughput";
  if (words.have({"alloc", "allocs", "allocations", "malloc", "mallocs"})) return "allocations";
  if (words.have({"accuracy", "acc", "snr", "sqnr", "psnr", "recall", "precision", "f1"})) return "accuracy";
  if (words.have({"error", "errors", "err", "mse", "rmse", "mae", "ulp", "ulps"})) return "accuracy";
  if (metric.ends_with("_bytes") || words.have({"memory", "rss", "vmhwm", "heap"}) ||
      (words.have({"bytes"}) && words.have({"peak", "max", "used", "allocated"})))
    return "memory";
  if (words.have({"latency", "p50", "p75", "p90", "p95", "p99", "p999"})) return "time";
  return "other";
}

Quantity quantity_of(std::string_view metric) {
  const std::string_view kind = metric_class(metric);
  return kind == "time" ? Quantity::duration : kind == "throughput" ? Quantity::rate : Quantity::other;
}

bool direction_is_known(std::string_view metric) {
  const Words words(metric);
  return metric_class(metric) != "other" || words.is_quality() || words.is_fault();
}

Direction natural_direction(std::string_view metric) {
  if (metric == model::kRealTime || metric == model::kCpuTime) return Direction::larger_is_worse;
  const Words words(metric);
  return is_rate(metric, words) || words.is_quality() ? Direction::smaller_is_worse : Direction::larger_is_worse;
}

}  // namespace pawl::decide
