// peers_command.cpp -- `pawl peers`: our rows beside their peers and the limit of the machine.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "output_file.hpp"
#include "pawl/machine.hpp"
#include "show/peers.hpp"

namespace pawl::commands {
namespace {

constexpr const char* kFooter = R"(
Rows are named op/type/impl/key:value/...; those that differ only in `impl` stand on one line, and `pawl` is ours. Speed-up is the
peer's time / ours, so above 1 ours is faster. '% of limit' is the share of the yardstick that binds: FMA peak, or the bandwidth
of the cache level that holds the working set.

Examples
  pawl peers results/2026-11-20T221500Z_1a2b3c4
  pawl peers main --format markdown --output peers.md)";

struct Options {
  std::string results, format = "table", output;
};

int peers(const Options& options) {
  const std::string key = machine_key(describe_machine());
  const baseline::Store store(baseline::find_store(std::filesystem::current_path()));
  const show::PeerTable table = show::peer_table(baseline::load(options.results, store, key).set);
  const std::string text = options.format == "json"       ? show::format_peers_json(table)
                           : options.format == "markdown" ? show::format_peers_markdown(table)
                                                          : show::format_peers_text(table);
  if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    OutputFile file(options.output);
    file.write(text);
    file.commit();
  }
  return table.rows.empty() ? kNothingToCompare : kPassed;
}

}  // namespace

void add_peers(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("peers", "Our rows beside their peers and the limit; where we lose comes first");
  command.option("RESULTS", options->results, "File, directory or saved baseline").required();
  command.option("--format", options->format, "table, markdown or json").one_of({"table", "markdown", "json"});
  command.option("--output", options->output, "Write to this file instead of standard output");
  command.footer(kFooter);
  command.when_chosen(chosen, [options] { return peers(*options); });
}

}  // namespace pawl::commands
