// ab_command.cpp -- `pawl ab BASE NEW`: two builds or git refs, measured in turns, judged.
#include <fmt/format.h>

#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "compare_builds.hpp"

namespace pawl::commands {
namespace {

constexpr const char* kFooter = R"(
BASE and NEW are each a build directory, an executable, or a git ref, which is built in a temporary work tree. Process runs of
both are interleaved, A B B A, so that whatever drifts hits both alike. What looks like a regression is measured again by a second,
independent set of runs, and fails only if that says so too. The table, the formats and the exit codes are those of pawl compare.

Examples
  pawl ab build-base build-head --suite 'bench_*'
  pawl ab main HEAD --quick
  pawl ab main HEAD --filter 'matmul/f32' --until-decided --max-time 10m
  pawl ab v1.0 HEAD --build-command 'make -j8 benches' --bench-dir out
  pawl ab build-base build-head --until-decided --format github --format markdown --output pr.md)";

}  // namespace

void add_ab(Command app, Chosen& chosen) {
  auto options = std::make_shared<BuildComparison>();
  Command command =
      app.subcommand("ab", "Compare two builds or commits by interleaved runs; the exit code is the verdict");
  command.footer(kFooter);
  command.option("BASE", options->base, "Build directory, executable or git ref").required();
  command.option("NEW", options->now, "The same; what changed").required();
  command
      .flag("--until-decided", options->until_decided,
            "Go on with what the runs cannot tell, until it is settled or the time is up")
      .group("How");
  command
      .option("--max-time", options->max_time_s,
              "Time for measuring, as 90s, 10m or 1h (10m with --until-decided); a confirmation may run over it")
      .duration()
      .group("How");
  command.flag("--no-confirm", options->no_confirm, "Judge by the first set of runs alone").group("How");
  command
      .option("--build-command", options->build_command,
              "How a git ref is built, by sh in its work tree (default: CMake, Release)")
      .group("What");
  command.option("--bench-dir", options->bench_dir, "Where its executables then are (build)").group("What");
  add_measure_options(command, options->measure);
  command.option("--dir", options->store_directory, "Where thresholds.json is (default: the nearest baselines/ upward)")
      .group("Gate");
  add_gate_options(command, options->gate);
  add_output_options(command, options->output);
  command.when_chosen(chosen, [options] { return compare_builds(*options); });
}

}  // namespace pawl::commands
