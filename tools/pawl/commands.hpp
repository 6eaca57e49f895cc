// commands.hpp -- the subcommands of `pawl`: each adds its options to the command line and leaves what it will do.
//
// A new subcommand is a file <name>_command.cpp with one add_<name>, declared here and called in main.cpp.
#pragma once
#include <functional>

#include "arguments.hpp"

namespace pawl::commands {

/// What the parsed command line asks for; returns an ExitCode. It runs after parsing, so that whatever it throws is
/// about the work and not about the usage.
using Chosen = std::function<int()>;

void add_ab(Command app, Chosen& chosen);
void add_baseline(Command app, Chosen& chosen);
void add_compare(Command app, Chosen& chosen);
void add_doctor(Command app, Chosen& chosen);
void add_merge(Command app, Chosen& chosen);
void add_tune(Command app, Chosen& chosen);
void add_peers(Command app, Chosen& chosen);
void add_profile(Command app, Chosen& chosen);
void add_targets(Command app, Chosen& chosen);
void add_run(Command app, Chosen& chosen);

}  // namespace pawl::commands
