// system_info.hpp -- the machine, the build and the settings of a run -> the model's Machine, and system-info.json.
#pragma once
#include <string>

#include "model/results.hpp"
#include "pawl/machine.hpp"

namespace pawl::run {

/// What is not known is "unknown" or left out, never guessed.
model::Machine machine_of(const MachineInfo& info);

/// Machine, build, settings and the environment variables that change what is measured, as JSON (docs/formats.md).
std::string format_system_info(const MachineInfo& info, const model::ResultSet& results);

}  // namespace pawl::run
