// compare_command.cpp -- `pawl compare`.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "commands.hpp"
#include "failure.hpp"

namespace pawl::commands {
namespace {

struct Options {
  std::string base, now;
};

int compare(const Options&) { throw Failure(kBadInput, "compare: not finished yet"); }

}  // namespace

void add_compare(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compare", "Compare two sets of results; the exit code is the verdict");
  command->add_option("BASE", options->base, "File, directory, saved baseline, or - for standard input")->required();
  command->add_option("NEW", options->now, "The same; what changed")->required();
  command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace pawl::commands
