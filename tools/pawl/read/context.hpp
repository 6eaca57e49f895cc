// context.hpp -- a document's "context" and "pawl" objects -> who measured, where, how and how quietly.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/results.hpp"
#include "read/oddities.hpp"
#include "read/scanner.hpp"

namespace pawl::read {

/// Reads the "context" object into process.context, every value as text. Repeated keys are joined by ", ".
void read_context(Scanner& scanner, Oddities& oddities, model::Process& process);

/// Reads the "pawl" object that pawl::bench_main appends: yardsticks and what the process used.
void read_pawl_section(Scanner& scanner, Oddities& oddities, model::Process& process);

/// What the context says -> the fields that have a name of their own. Pure.
void interpret_context(model::Process& process, model::Machine& machine, model::Methodology& methodology);

/// Seconds since 1970 of an ISO 8601 date and time; one without an offset (old libraries) counts as UTC.
std::optional<double> unix_seconds(std::string_view date);

}  // namespace pawl::read
