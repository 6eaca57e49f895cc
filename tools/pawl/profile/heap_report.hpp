// heap_report.hpp -- what massif saw of a program -> what people and programs read of it.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "profile/massif_file.hpp"

namespace pawl::profile {

/// Of the whole run, in bytes of the program's blocks.
struct HeapUse {
  double peak_bytes = 0;
  double peak_extra_bytes = 0;  ///< malloc's own, then
  double peak_at = 0;           ///< share of the run's time that was over by then
  double mean_bytes = 0;        ///< over time, along straight lines between the snapshots
  double end_bytes = 0;         ///< at the last snapshot
};

HeapUse heap_use(const MassifFile& file);

/// The largest heap in each of `columns` equal parts of the time, in bytes; parts without a snapshot go on from the one
/// before.
std::vector<double> heap_over_time(const MassifFile& file, std::size_t columns);

/// The sites without the calls of the standard library, our allocator and Google Benchmark, and those without a name;
/// what is equal then is one site; largest first. A chain of nothing else stays as it is.
std::vector<Site> own_sites(const std::vector<Site>& sites);

/// What was profiled, for both forms.
struct Profiled {
  std::string program;            ///< its name
  std::vector<std::string> rows;  ///< benchmarks that ran
  std::string kept;               ///< massif's own file
  MassifFile file;
};

/// Peak, mean and end, a picture of the heap over time, and the `count` largest of own_sites() with up to `depth` calls
/// each. Names are made safe for a terminal.
std::string format_heap_text(const Profiled& profiled, std::size_t count, std::size_t depth);

/// All of it (docs/formats.md).
std::string format_heap_json(const std::vector<Profiled>& all);

}  // namespace pawl::profile
