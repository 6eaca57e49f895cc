// heap_report.cpp -- see heap_report.hpp.
#include "profile/heap_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "model/results.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::profile {
namespace {

constexpr std::size_t kColumns = 60;  // of the picture: it fits a terminal of 80

std::string bytes_text(double bytes) { return show::value_text(model::kPeakBytes, "", bytes); }

// A column of each height in eighths, as blocks of text.
std::string picture(const std::vector<double>& heights) {
  constexpr const char* kBlocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const double most = *std::max_element(heights.begin(), heights.end());
  std::string out;
  for (const double h : heights) out += kBlocks[most > 0 ? static_cast<int>(std::ceil(8 * h / most)) : 0];
  return out;
}

// The place without its folder.
std::string call_text(const Frame& frame) {
  const std::string file = frame.place.substr(frame.place.rfind('/') + 1);
  return show::terminal_text(frame.function) + (file.empty() ? "" : "  " + show::terminal_text(file));
}

// What std::function calls, where g++ names the call by it: "std::_Function_handler<void (S&), f()::{lambda(S&)#1}>::
// _M_invoke(...)" is f()::{lambda(S&)#1}, a benchmark's body as a rule.
std::string without_std_function(const std::string& function) {
  constexpr std::string_view kBefore = "std::_Function_handler<", kBehind = ">::_M_invoke(";
  const std::size_t signature = function.find("), "), end = function.rfind(kBehind);
  if (!function.starts_with(kBefore) || signature == function.npos || end == function.npos || end < signature + 3)
    return function;
  return function.substr(signature + 3, end - signature - 3);
}

// The standard library's, our allocator's and the harness's calls say nothing about who wants memory.
bool is_between(const Frame& frame) {
  constexpr std::string_view kNames[] = {"std::", "__gnu_cxx::", "operator new", "pawl::memory::", "benchmark::"};
  // With debug information names have no namespace, but places have their folder: that of g++'s or clang's library.
  constexpr std::string_view kPlaces[] = {"/include/c++/", "/c++/v1/", "/libbenchmark.so"};
  return std::any_of(std::begin(kPlaces), std::end(kPlaces),
                     [&](std::string_view place) { return frame.place.find(place) != frame.place.npos; }) ||
         std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return frame.function.starts_with(name); });
}

}  // namespace

HeapUse heap_use(const MassifFile& file) {
  const auto& snapshots = file.snapshots;
  const Snapshot &first = snapshots.front(), &last = snapshots.back(), &peak = snapshots[file.peak];
  const double time = last.time - first.time;
  HeapUse out;
  out.peak_bytes = peak.heap_bytes;
  out.peak_extra_bytes = peak.extra_bytes;
  out.peak_at = time > 0 ? (peak.time - first.time) / time : 0;
  out.end_bytes = last.heap_bytes;
  if (!(time > 0)) {
    out.mean_bytes = last.heap_bytes;
    return out;
  }
  double area = 0;
  for (std::size_t i = 1; i < snapshots.size(); ++i)
    area += (snapshots[i].time - snapshots[i - 1].time) * (snapshots[i].heap_bytes + snapshots[i - 1].heap_bytes) / 2;
  out.mean_bytes = area / time;
  return out;
}

std::vector<double> heap_over_time(const MassifFile& file, std::size_t columns) {
  std::vector<double> out(columns, 0);
  const double begin = file.snapshots.front().time, time = file.snapshots.back().time - begin;
  std::size_t next = 0;
  double now = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    const double end = begin + time * static_cast<double>(c + 1) / static_cast<double>(columns);
    out[c] = now;
    for (; next < file.snapshots.size() && (file.snapshots[next].time <= end || c + 1 == columns); ++next) {
      now = file.snapshots[next].heap_bytes;
      out[c] = std::max(out[c], now);
    }
  }
  return out;
}

std::vector<Site> own_sites(const std::vector<Site>& sites) {
  std::vector<Site> out;
  for (const Site& site : sites) {
    if (site.bytes == 0) continue;
    Site own{site.bytes, {}};
    for (const Frame& each : site.frames) {
      Frame frame{without_std_function(each.function), each.place};
      // A name that nobody knows says something as the first at most.
      if (!is_between(frame) && (frame.function != "???" || own.frames.empty())) own.frames.push_back(std::move(frame));
    }
    if (own.frames.empty()) own.frames = site.frames;
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const Site& other) { return other.frames == own.frames; });
    if (same == out.end())
      out.push_back(std::move(own));
    else
      same->bytes += own.bytes;
  }
  std::stable_sort(out.begin(), out.end(), [](const Site& a, const Site& b) { return a.bytes > b.bytes; });
  return out;
}

std::string format_heap_text(const Profiled& profiled, std::size_t count, std::size_t depth) {
  const MassifFile& file = profiled.file;
  const HeapUse use = heap_use(file);
  std::string out = show::terminal_text(profiled.program) + '\n';
  for (const std::string& row : profiled.rows) out += "  " + show::terminal_text(row) + '\n';
  out += fmt::format("heap: peak {} after {:.0f} % of the run (and {} of malloc's own), mean {}, {} at the end\n",
                     bytes_text(use.peak_bytes), 100 * use.peak_at, bytes_text(use.peak_extra_bytes),
                     bytes_text(use.mean_bytes), bytes_text(use.end_bytes));
  out += "  " + picture(heap_over_time(file, kColumns)) + "\n\n";
  const std::vector<Site> sites = own_sites(file.sites);
  if (sites.empty()) {
    out += "massif kept no call chains\n";
  } else {
    double total = file.small_bytes;
    for (const Site& site : sites) total += site.bytes;
    const auto line = [&](double bytes, const std::string& what) {
      out += fmt::format("{:>12} {:5.1f} %  {}\n", bytes_text(bytes), total > 0 ? 100 * bytes / total : 0, what);
    };
    out += "live at the peak, by the calls that allocated it\n";
    const std::size_t shown = std::min(count, sites.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& frames = sites[i].frames;
      line(sites[i].bytes, call_text(frames.front()));
      for (std::size_t f = 1; f < std::min(depth, frames.size()) && frames[f - 1].function != "main"; ++f)
        out += fmt::format("{:22}by {}\n", "", call_text(frames[f]));
    }
    double rest = file.small_bytes;
    for (std::size_t i = shown; i < sites.size(); ++i) rest += sites[i].bytes;
    if (rest > 0)
      line(rest, sites.size() > shown ? show::counted(sites.size() - shown, "further chain") + " and small ones"
                                      : "chains below massif's threshold");
  }
  if (!profiled.kept.empty()) out += fmt::format("all of it: ms_print {}\n", show::terminal_text(profiled.kept));
  return out;
}

std::string format_heap_json(const std::vector<Profiled>& all) {
  nlohmann::ordered_json json{{"schema_version", 1}, {"tool", "massif"}, {"programs", nlohmann::ordered_json::array()}};
  for (const Profiled& one : all) {
    const HeapUse use = heap_use(one.file);
    nlohmann::ordered_json program{{"program", one.program},
                                   {"benchmarks", one.rows},
                                   {"file", one.kept},
                                   {"command", one.file.command},
                                   {"time_unit", one.file.time_unit},
                                   {"peak_heap_bytes", use.peak_bytes},
                                   {"peak_extra_bytes", use.peak_extra_bytes},
                                   {"peak_at", use.peak_at},
                                   {"mean_heap_bytes", use.mean_bytes},
                                   {"end_heap_bytes", use.end_bytes},
                                   {"small_bytes", one.file.small_bytes},
                                   {"sites", nlohmann::ordered_json::array()},
                                   {"snapshots", nlohmann::ordered_json::array()}};
    for (const Site& site : one.file.sites) {
      nlohmann::ordered_json frames = nlohmann::ordered_json::array();
      for (const Frame& frame : site.frames) frames.push_back({{"function", frame.function}, {"place", frame.place}});
      program["sites"].push_back({{"bytes", site.bytes}, {"frames", std::move(frames)}});
    }
    for (const Snapshot& s : one.file.snapshots)
      program["snapshots"].push_back({{"time", s.time}, {"heap_bytes", s.heap_bytes}, {"extra_bytes", s.extra_bytes}});
    json["programs"].push_back(std::move(program));
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace pawl::profile
