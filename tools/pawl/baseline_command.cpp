// baseline_command.cpp -- `pawl baseline save|list|show|remove`.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "arguments.hpp"
#include "baseline/load.hpp"
#include "baseline/results_file.hpp"
#include "baseline/save.hpp"
#include "baseline/store.hpp"
#include "closest.hpp"
#include "commands.hpp"
#include "comparison_notes.hpp"
#include "failure.hpp"
#include "pawl/machine.hpp"
#include "show/listing.hpp"
#include "show/quantity.hpp"
#include "show/text.hpp"

namespace pawl::commands {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter = R"(
Baselines are files in baselines/<machine>/<name>.json: samples, method, commit, compiler and machine. Commit them. They are
only compared on the machine that they are filed under (--portable compares ratios to the yardsticks instead).

Examples
  pawl baseline save                        the newest run under results/, as "main"
  pawl baseline save main --from base.json  any Google Benchmark file
  pawl baseline save main --merge           only what was measured now is replaced
  pawl compare main results/today)";

struct Options {
  std::string name, from, directory, format = "table";
  baseline::SaveOptions save;
  bool here_only = false;
};

baseline::Store store_of(const Options& options) { return baseline::open_store(options.directory); }

std::string here() { return machine_key(describe_machine()); }

double today() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// The run whose directory was written last: names may be anything, times cannot lie about order.
std::string newest_run() {
  std::string newest;
  std::optional<fs::file_time_type> latest;
  std::error_code error;
  for (fs::directory_iterator entry("results", error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    const auto written = fs::last_write_time(entry->path() / "results.json", none);
    if (none || (latest && written <= *latest)) continue;
    latest = written;
    newest = entry->path().string();
  }
  if (newest.empty()) {
    throw Failure(kBadInput, "no run under results/ to save; name one with --from, or make one: pawl run");
  }
  return newest;
}

// Waiting in silence would look like hanging.
void say_waiting(bool is_first) {
  if (is_first) fmt::print(stderr, "waiting for another save of this machine's baselines\n");
}

int save(const Options& options) {
  const baseline::Store store = store_of(options);
  baseline::SaveOptions how = options.save;
  how.here = here();
  how.on_wait = say_waiting;
  const std::string from = options.from.empty() ? newest_run() : options.from;
  model::ResultSet set = baseline::load(from, store, how.here).set;
  const std::string commit = set.methodology.commit;
  const std::size_t benchmarks = set.benchmarks.size(), processes = set.processes.size();
  const baseline::Saved saved = baseline::save(store, options.name, std::move(set), how);
  fmt::print("saved {} as {} ({}, {}{})\n", show::terminal_text(from), saved.path.string(),
             show::counted(benchmarks, "benchmark"), show::counted(processes, "process run"),
             commit.empty() ? "" : ", commit " + show::terminal_text(commit));
  for (const std::string& note : saved.notes) fmt::print("note: {}\n", show::terminal_text(note));
  return kPassed;
}

int list(const Options& options) {
  const baseline::Store store = store_of(options);
  const auto entries = store.list();
  if (entries.empty()) {
    fmt::print("no baseline in {}; save one: pawl baseline save\n", store.directory().string());
    return kPassed;
  }
  std::vector<show::ListedBaseline> listed;
  for (const baseline::Entry& entry : entries) {
    show::ListedBaseline one{entry.machine_key, entry.name, {}, "", std::nullopt};
    try {
      one.set = baseline::read_results(entry.path);
      if (const auto made = made_unix_s(one.set)) one.age_days = (today() - *made) / 86400;
    } catch (const Failure& failure) {
      one.problem = failure.line;  // one damaged file must not hide the others
    }
    listed.push_back(std::move(one));
  }
  const std::string text = show::format_baselines(listed, here());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kPassed;
}

// The entry, or a line that says which there are.
baseline::Entry find(const Options& options, const baseline::Store& store) {
  const std::string machine = here();
  auto entry = store.find(options.name, machine);
  if (entry && (!options.here_only || entry->machine_key == machine)) return *entry;
  std::vector<std::string> names;
  for (const baseline::Entry& each : store.list()) {
    if (each.machine_key == machine) {
      names.push_back(each.name);
    } else if (!options.here_only) {
      names.push_back(each.machine_key + "/" + each.name);
    }
  }
  throw Failure(kNothingToCompare, fmt::format("no baseline '{}'{} in {}{}", options.name,
                                               options.here_only ? " of this machine (" + machine + ")" : "",
                                               store.directory().string(), did_you_mean(options.name, names)));
}

int show_one(const Options& options) {
  const baseline::Entry entry = find(options, store_of(options));
  const model::ResultSet set = baseline::read_results(entry.path);
  const std::string text =
      options.format == "json" ? baseline::format_results(set) : show::format_results_listing(set, entry.path.string());
  std::fwrite(text.data(), 1, text.size(), stdout);
  return kPassed;
}

int remove(const Options& options) {
  const baseline::Store store = store_of(options);
  const baseline::Entry entry = find(options, store);
  // Showing another machine's because this one has none is a help; taking it away is not.
  if (options.name.find('/') == std::string::npos && entry.machine_key != here())
    throw Failure(kNothingToCompare,
                  fmt::format("baseline '{0}' is not saved for this machine ({1}), but for another; to remove that "
                              "one, name it in full: {2}/{0}",
                              options.name, here(), entry.machine_key));
  const fs::path backup = store.remove(entry, say_waiting);
  fmt::print("removed {}; kept as {}\n", entry.path.string(), backup.string());
  return kPassed;
}

}  // namespace

void add_baseline(Command app, Chosen& chosen) {
  auto options = std::make_shared<Options>();
  Command command = app.subcommand("baseline", "Save, list, show and remove baselines");
  command.require_subcommand();
  const auto add = [&](const char* name, const char* what, int (*action)(const Options&)) {
    Command sub = command.subcommand(name, what);
    sub.option("--dir", options->directory, "Where baselines are (default: the nearest baselines/ upward)");
    sub.when_chosen(chosen, [options, action] { return action(*options); });
    return sub;
  };
  Command saving = add("save", "Keep results, for comparisons to come", save);
  options->name = "main";
  saving.option("NAME", options->name, "Letters, digits and . _ - + (default: main)");
  saving.option("--from", options->from, "File or directory (default: the newest run under results/)");
  saving.option("--platform", options->save.platform, "File it under this machine key");
  saving.flag("--merge", options->save.merge, "Keep the old baseline's benchmarks that were not measured now");
  saving.flag("--allow-dirty", options->save.allow_dirty, "Though the measured tree had changes");
  saving.flag("--allow-debug", options->save.allow_debug, "Though the code was not optimized");

  add("list", "All baselines: machine, name, age, commit, compiler", list);

  Command showing = add("show", "What is in one", show_one);
  showing.option("NAME", options->name, "NAME or MACHINE/NAME (default: main)");
  showing.option("--format", options->format, "table or json").one_of({"table", "json"});
  showing.flag("--here", options->here_only, "Only this machine's; exit code 3 if there is none");

  Command removing = add("remove", "Take one away; a copy stays beside it as .bak", remove);
  removing.option("NAME", options->name, "NAME of this machine's, or MACHINE/NAME").required();
  command.footer(kFooter);
}

}  // namespace pawl::commands
