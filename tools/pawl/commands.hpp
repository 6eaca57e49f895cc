// commands.hpp -- the subcommands of `pawl`: each adds its options to the command line and leaves what it will do.
//
// A new subcommand is a file <name>_command.cpp with one add_<name>, declared here and called in main.cpp.
#pragma once
#include <functional>

namespace CLI {
class App;
}

namespace pawl::commands {

/// What the parsed command line asks for; returns an ExitCode. It runs after parsing, so that whatever it throws is
/// about the work and not about the usage.
using Chosen = std::function<int()>;

void add_ab(CLI::App& app, Chosen& chosen);
void add_baseline(CLI::App& app, Chosen& chosen);
void add_compare(CLI::App& app, Chosen& chosen);
void add_doctor(CLI::App& app, Chosen& chosen);
void add_merge(CLI::App& app, Chosen& chosen);
void add_tune(CLI::App& app, Chosen& chosen);
void add_peers(CLI::App& app, Chosen& chosen);
void add_run(CLI::App& app, Chosen& chosen);

}  // namespace pawl::commands
