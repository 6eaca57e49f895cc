// process_run.cpp -- see process_run.hpp.
#include "run/process_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <iterator>
#include <set>
#include <utility>

#include "failure.hpp"
#include "read/read.hpp"
#include "run/memory_run.hpp"
#include "show/quantity.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;

// Tells which of the expected rows the console output has reached.
class RowWatcher {
 public:
  RowWatcher(const ExactFilter& part, const std::function<void(const std::string&)>& listener)
      : rows_(part.names.begin(), part.names.end()), listener_(listener) {}

  void operator()(std::string_view text) {
    if (!listener_) return;
    for (const char c : text) {
      if (c != '\n') {
        if (line_.size() < 4096) line_.push_back(c);
        continue;
      }
      // "name      123 ns ..."; repetitions have the same name, aggregates a suffix.
      const std::string name = line_.substr(0, line_.find("  "));
      const std::string word = line_.substr(0, line_.find(' '));
      for (const std::string& candidate : {name, word})
        if (rows_.contains(candidate) && candidate != last_) {
          last_ = candidate;
          listener_(candidate);
          break;
        }
      line_.clear();
    }
  }

 private:
  std::set<std::string> rows_;
  const std::function<void(const std::string&)>& listener_;
  std::string line_, last_;
};

class ProcessRunner {
 public:
  explicit ProcessRunner(const ProcessRequest& request) : request_(request) {}

  ProcessRun run() {
    plan();
    while (!parts_.empty() && !run_.interrupted) {
      const Part part = std::move(parts_.front());
      parts_.pop_front();
      start(part);
    }
    if (!run_.interrupted) {
      run_.results = read::join(std::move(sets_));
      sort_as_listed(run_.results.benchmarks);
    }
    if (request_.settings.memory) measure_memories();
    return std::move(run_);
  }

 private:
  // Rows that one start of the program measures.
  struct Part {
    ExactFilter filter;
    bool interleaved = false;
  };

  // Rows of a process that interleaves come in the order in which they were complete.
  void sort_as_listed(std::vector<model::Benchmark>& benchmarks) const {
    std::map<std::string, std::size_t> place;
    for (const std::string& name : request_.listing.names) place.emplace(name, place.size());
    const auto place_of = [&](const model::Benchmark& benchmark) {
      const auto found = place.find(benchmark.name);
      return found == place.end() ? place.size() : found->second;
    };
    std::ranges::stable_sort(benchmarks, {}, place_of);
  }

  // The peak resident memory of each row that was measured becomes one of its metrics.
  void measure_memories() {
    std::size_t hidden = 0;
    for (model::Benchmark& benchmark : run_.results.benchmarks) {
      if (run_.interrupted) return;
      if (benchmark.readings.empty() || benchmark.readings.back().status != model::Status::ok) continue;
      model::Reading& reading = benchmark.readings.back();
      const MemoryRun memory =
          measure_memory(request_, benchmark.name, run_.results.processes[reading.process].context);
      run_.wall_s += memory.wall_s;
      run_.interrupted = memory.interrupted;
      hidden += memory.hidden ? 1 : 0;
      if (!memory.problem.empty())
        run_.log.push_back(fmt::format("{}: memory of {}: {}", request_.program.name, benchmark.name, memory.problem));
      if (!memory.peak_bytes) continue;
      model::Samples values;
      values.push_back(*memory.peak_bytes);
      reading.series.push_back({model::kPeakResident, std::move(values)});
    }
    if (hidden > 0)
      run_.log.push_back(
          fmt::format("{}: the peak memory of {} is below pawl's own and not known: the system counts on "
                      "from that",
                      request_.program.name, show::counted(hidden, "benchmark")));
  }

  void plan() {
    const auto& all = request_.rows.empty() ? request_.listing.names : request_.rows;
    std::vector<std::string> rows;
    for (const std::string& row : all) {
      if (request_.known_bad.contains(row))
        not_tried_.push_back(row);
      else
        rows.push_back(row);
    }
    if (request_.rows.empty() && not_tried_.empty())
      parts_.push_back({{std::move(rows), request_.settings.filter}, request_.listing.interleaves});
    else
      add_parts(rows, request_.listing.interleaves);
    if (parts_.empty()) {  // all are bad
      model::ResultSet set = empty_set();
      fail_untried(set);
      sets_.push_back(std::move(set));
    }
  }

  void add_parts(const std::vector<std::string>& rows, bool interleaved) {
    std::vector<Part> more;
    for (ExactFilter& filter : exact_filters(rows)) more.push_back({std::move(filter), interleaved});
    parts_.insert(parts_.begin(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  model::ResultSet empty_set() const {
    model::ResultSet set;
    set.processes.emplace_back();
    describe(set.processes.back());
    return set;
  }

  void describe(model::Process& process) const {
    process.executable = request_.program.name;
    process.run_index = request_.run_index;
    process.pair_index = request_.pair_index;
  }

  void fail(model::ResultSet& set, const std::vector<std::string>& rows, const std::string& why) const {
    for (const std::string& row : rows) {
      model::Reading reading;
      reading.status = model::Status::failed;
      reading.message = why;
      model::Benchmark benchmark;
      benchmark.name = row;
      benchmark.executable = request_.program.name;
      benchmark.readings.push_back(std::move(reading));
      set.benchmarks.push_back(std::move(benchmark));
    }
  }

  void fail_untried(model::ResultSet& set) const {
    for (const std::string& row : not_tried_)
      fail(set, {row}, request_.known_bad.at(row) + " (in an earlier process run; not tried again)");
  }

  fs::path json_of_start(std::size_t number) const {
    if (number == 1) return request_.json;
    fs::path path = request_.json;
    path.replace_extension(fmt::format(".part{}.json", number));
    return path;
  }

  Ended execute(const Part& part, const fs::path& json) {
    Command command =
        bench_command(request_.program, request_.listing, request_.settings, part.filter.regex, json, part.interleaved);
    command.environment.emplace_back("PAWL_RUN_INDEX", std::to_string(request_.run_index));
    command.environment.emplace_back("PAWL_PAIR_INDEX", std::to_string(request_.pair_index));
    command.environment.emplace_back("PAWL_PLACEMENT", std::to_string(request_.placement));
    RowWatcher watcher(part.filter, request_.on_row);
    command.on_output = [&](std::string_view text) { watcher(text); };
    command.on_tick = request_.on_tick;
    command.tick_s = request_.on_tick ? 1 : 0;
    // The file grows by every row; what is printed may be buffered, or nothing at all.
    std::uintmax_t seen = 0;
    command.still_working = [&json, &seen] {
      std::error_code error;
      const auto size = fs::file_size(json, error);
      return !error && std::exchange(seen, size) != size;
    };
    if (request_.on_start) request_.on_start(command);
    return run_child(command);
  }

  // What is readable of the file: all of it, the rows before a damage, or nothing.
  static model::ResultSet read_what_is_there(const fs::path& json, std::string& problem) {
    try {
      return read::read_file(json);
    } catch (const read::ReadError& error) {
      problem = error.what();
      if (error.partial) return *error.partial;
    }
    return {};
  }

  void put_away(const fs::path& from, const fs::path& to) {
    if (rename(from.c_str(), to.c_str()) != 0)
      throw Failure(kBadInput, fmt::format("{}: cannot write: {}", to.string(), std::strerror(errno)));
  }

  void start(const Part& part) {
    const fs::path json = json_of_start(++starts_);
    fs::path partial = json;
    partial += ".partial";
    std::error_code ignored;
    fs::remove(partial, ignored);
    const Ended ended = execute(part, partial);
    run_.wall_s += ended.wall_s;
    if (ended.interrupted) {
      fs::remove(partial, ignored);
      run_.interrupted = true;
      return;
    }
    std::string problem;
    model::ResultSet set = read_what_is_there(partial, problem);
    if (set.processes.empty()) set = empty_set();
    record(set, ended, json);
    recover(part, set, ended, problem);
    // A damaged file stays for whoever looks into the crash, under a name that no reader of directories takes.
    fs::path kept = json;
    if (problem.empty()) {
      put_away(partial, json);
    } else if (fs::exists(partial, ignored) && fs::file_size(partial, ignored) > 0) {
      kept += ".damaged";
      put_away(partial, kept);
    } else {
      fs::remove(partial, ignored);
    }
    for (model::Oddity& oddity : set.oddities)
      if (oddity.file == partial.string()) oddity.file = kept.string();
    if (starts_ == 1) fail_untried(set);
    sets_.push_back(std::move(set));
  }

  void record(model::ResultSet& set, const Ended& ended, const fs::path& json) const {
    model::Process& process = set.processes.front();
    describe(process);
    process.file = json.filename().string();
    process.start_unix_s = ended.start_unix_s;
    process.end_unix_s = ended.end_unix_s;
    process.exit_code = ended.exit_code;
    process.signal = ended.signal;
    process.timed_out = ended.timed_out;
    process.wall_s = ended.wall_s;
    process.cpu_s = ended.cpu_s;
    process.peak_rss_bytes = ended.peak_rss_bytes;
    if (!ended.ok()) process.last_lines = last_lines(ended.errors, 10);
    // Taken around the rows by benches with our main; from start to end of the process for others.
    auto& disturbance = process.disturbance;
    if (!disturbance.steal) disturbance.steal = ended.steal;
    if (!disturbance.other_busy) disturbance.other_busy = ended.other_busy;
    for (model::Benchmark& benchmark : set.benchmarks) benchmark.executable = request_.program.name;
  }

  // Finds the row that it died in, says so, and plans the rows behind it.
  void recover(const Part& part, model::ResultSet& set, const Ended& ended, const std::string& problem) {
    if (ended.ok() && problem.empty()) return;
    std::set<std::string> done;
    for (const model::Benchmark& benchmark : set.benchmarks) done.insert(benchmark.name);
    std::vector<std::string> missing;
    for (const std::string& row : part.filter.names)
      if (!done.contains(row)) missing.push_back(row);
    const std::string words = last_lines(ended.errors, 1);
    const std::string how =
        ended.ok() ? "its results cannot be read: " + problem
                   : how_it_ended(ended, request_.settings.timeout_s) + (words.empty() ? "" : ": " + words);
    if (missing.empty()) {
      run_.log.push_back(fmt::format("{}: {} after its last row; all rows were measured", request_.program.name, how));
      return;
    }
    // One that is missing is the one that it died in.
    if (part.interleaved && missing.size() > 1) {
      run_.died_interleaved = true;
      run_.log.push_back(fmt::format("{}: {}; the {} left are run in their own order, to see which it was",
                                     request_.program.name, how, show::counted(missing.size(), "benchmark")));
      add_parts(missing, false);
      return;
    }
    run_.log.push_back(fmt::format("{}: {}: {}", request_.program.name, missing.front(), how));
    run_.bad.emplace(missing.front(), how);
    fail(set, {missing.front()}, how);
    missing.erase(missing.begin());
    // Three starts in a row without a single row: it is not the rows.
    constexpr int kPatience = 3;
    fruitless_ = done.empty() ? fruitless_ + 1 : 0;
    if (fruitless_ < kPatience) {
      add_parts(missing, false);
      return;
    }
    for (const Part& rest : parts_) missing.insert(missing.end(), rest.filter.names.begin(), rest.filter.names.end());
    parts_.clear();
    const std::string why = fmt::format("not reached: the process died {} times without a row ({})", kPatience, how);
    for (const std::string& row : missing) run_.bad.emplace(row, why);
    fail(set, missing, why);
  }

  const ProcessRequest& request_;
  ProcessRun run_;
  std::deque<Part> parts_;
  std::vector<std::string> not_tried_;
  std::vector<model::ResultSet> sets_;
  std::size_t starts_ = 0;
  int fruitless_ = 0;
};

}  // namespace

ProcessRun run_process(const ProcessRequest& request) { return ProcessRunner(request).run(); }

}  // namespace pawl::run
