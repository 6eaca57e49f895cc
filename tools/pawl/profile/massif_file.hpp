// massif_file.hpp -- the text that valgrind's massif writes -> how much heap a program had over time, and from where.
//
// Source: valgrind's manual, "Massif: a heap profiler", and the files that 3.19 writes; other tools read the same form
// (massif-visualizer, heaptrack's converter).
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::profile {

/// One call in a chain of calls.
struct Frame {
  std::string function;  ///< "???" where the program has no name for it
  std::string place;     ///< "src/tensor.cpp:31", or "in /usr/lib/libm.so.6" without debug information; may be empty

  friend bool operator==(const Frame&, const Frame&) = default;
};

/// Bytes that live blocks have which one chain of calls allocated.
struct Site {
  double bytes = 0;
  std::vector<Frame> frames;  ///< the caller of malloc or new first
};

struct Snapshot {
  double time = 0;  ///< in MassifFile::time_unit, from the start of the program
  double heap_bytes = 0;
  double extra_bytes = 0;  ///< that malloc holds around and between the blocks, by massif's estimate
};

struct MassifFile {
  std::string command, time_unit;
  std::vector<Snapshot> snapshots;  ///< at least one, in order of time
  std::size_t peak = 0;             ///< of the snapshots, the one with the most bytes
  /// What the snapshot marked as the peak consists of, largest first; else the largest with details; may be empty.
  std::vector<Site> sites;
  double small_bytes = 0;  ///< in chains of calls that massif leaves out, each below its threshold
};

/// Line and reason in one line.
struct MassifError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Errors: MassifError where the text is no file of massif, or ends in the middle.
MassifFile parse_massif(std::string_view text);

}  // namespace pawl::profile
