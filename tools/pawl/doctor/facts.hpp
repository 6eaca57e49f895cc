// facts.hpp -- this machine, its disk, its tools and the benches beside `pawl` -> Facts.
#pragma once
#include <filesystem>

#include "doctor/diagnosis.hpp"

namespace pawl::doctor {

/// Takes about a quarter of a second: that long it watches who else uses the machine.
Facts collect_facts(const std::filesystem::path& bench_directory);

}  // namespace pawl::doctor
