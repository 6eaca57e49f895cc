// doctor_command.cpp -- `pawl doctor`: what on this machine makes measurements bad, each with its fix.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "arguments.hpp"
#include "commands.hpp"
#include "doctor/facts.hpp"
#include "failure.hpp"

namespace pawl::commands {
namespace {

struct Options {
  std::string bench_directory, format = "table";
};

std::string_view text(doctor::Severity severity) {
  switch (severity) {
    case doctor::Severity::fine:
      return "ok";
    case doctor::Severity::note:
      return "note";
    case doctor::Severity::bad:
      return "BAD";
  }
  return "";
}

void print_table(const MachineInfo& machine, const std::vector<doctor::Finding>& findings) {
  fmt::print("{}  ({}), {} cores, L1 {} KiB, L2 {} KiB, L3 {} KiB\n\n", machine_key(machine),
             machine.cpu_model.empty() ? "unknown CPU" : machine.cpu_model, machine.cores,
             machine.caches.l1d_bytes >> 10, machine.caches.l2_bytes >> 10, machine.caches.l3_bytes >> 10);
  for (const doctor::Finding& f : findings) {
    fmt::print("{:<5} {:<18} {}\n", text(f.severity), f.subject, f.found);
    if (f.severity != doctor::Severity::fine && !f.fix.empty()) fmt::print("{:<24} -> {}\n", "", f.fix);
  }
}

void print_json(const MachineInfo& machine, const std::vector<doctor::Finding>& findings) {
  nlohmann::ordered_json json{{"schema_version", 1}, {"machine_key", machine_key(machine)}};
  for (const doctor::Finding& f : findings)
    json["findings"].push_back(
        {{"severity", text(f.severity)}, {"subject", f.subject}, {"found", f.found}, {"fix", f.fix}});
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

int doctor(const Options& options) {
  std::filesystem::path directory = options.bench_directory;
  std::error_code error;
  if (directory.empty()) directory = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (!std::filesystem::is_directory(directory, error))
    throw Failure(kBadInput, fmt::format("{}: no such directory; --bench-dir names where the bench executables are",
                                         directory.string()));
  doctor::Facts facts = doctor::collect_facts(directory);
  facts.benches_are_meant = !options.bench_directory.empty();
  const auto findings = doctor::diagnose(facts);
  std::size_t bad = 0;
  for (const doctor::Finding& f : findings) bad += f.severity == doctor::Severity::bad;
  if (options.format == "json") {
    print_json(facts.machine, findings);
  } else {
    print_table(facts.machine, findings);
    if (bad == 0)
      fmt::print("\nnothing here makes measurements bad\n");
    else
      fmt::print("\n{} {} here {} measurements bad; each line marked BAD says what to do\n", bad,
                 bad == 1 ? "thing" : "things", bad == 1 ? "makes" : "make");
  }
  return bad == 0 ? kPassed : kRegression;
}

}  // namespace

void add_doctor(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand(
      "doctor", "What makes measurements bad on this machine, and how to mend it (exit code 1 if anything does)");
  command.option("--bench-dir", options->bench_directory, "Where the bench executables are (default: beside pawl)");
  command.option("--format", options->format, "table or json").one_of({"table", "json"});
  command.when_chosen(chosen, [options] { return doctor(*options); });
}

}  // namespace pawl::commands
