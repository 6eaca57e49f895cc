// process_record.hpp -- the whole run of a bench process: its times, its yardsticks, and who else used the machine.
#pragma once
#include <string>

namespace pawl::bench {

/// Takes the start values: clocks, /proc/stat, and the yardsticks if they are wanted.
void begin_process_record(bool yardsticks);

/// Takes the end values once (later calls return the same) and gives all of it as a JSON object (docs/formats.md).
std::string end_process_record();

}  // namespace pawl::bench
