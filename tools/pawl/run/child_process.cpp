// child_process.cpp -- see child_process.hpp.
#include "run/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "pawl/machine.hpp"
#include "run/stop_signal.hpp"

namespace pawl::run {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double unix_now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

class Fd {
 public:
  explicit Fd(int fd = -1) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Fd read, write;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw StartError(fmt::format("no pipe: {}", std::strerror(errno)));
    read = Fd(ends[0]);
    write = Fd(ends[1]);
  }
};

// Everything that the child needs, made before fork(): after it only async-signal-safe calls are allowed.
struct Prepared {
  std::vector<std::string> texts;
  std::vector<char*> arguments, environment;

  explicit Prepared(const Command& command) {
    texts.push_back(command.program.string());
    texts.insert(texts.end(), command.arguments.begin(), command.arguments.end());
    const std::size_t argument_count = texts.size();
    for (const auto& [name, value] : command.environment) texts.push_back(fmt::format("{}={}", name, value));
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text = *entry;
      const std::string_view name = text.substr(0, text.find('='));
      const auto replaced = [&](const auto& pair) { return pair.first == name; };
      if (std::ranges::none_of(command.environment, replaced) &&
          std::ranges::find(command.unset, name) == command.unset.end())
        texts.emplace_back(text);
    }
    for (std::size_t i = 0; i < texts.size(); ++i)
      (i < argument_count ? arguments : environment).push_back(texts[i].data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
  }
};

// What went wrong between fork() and exec(), sent through a pipe that exec() closes.
struct StartFailure {
  enum class Step : int { directory, cpu, exec } step;
  int error;
};

[[noreturn]] void become(const Command& command, const Prepared& prepared, pid_t parent, int in, int out, int err,
                         int report) {
  const auto fail = [&](StartFailure::Step step) {
    const StartFailure failure{step, errno};
    [[maybe_unused]] const ssize_t written = write(report, &failure, sizeof failure);
    _exit(127);
  };
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before the line above
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) std::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // A core file of a crashing bench takes longer to write than the bench to run.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  dup2(in, 0);
  dup2(out, 1);
  dup2(err, 2);
  if (command.cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    errno = EINVAL;
    if (*command.cpu < 0 || *command.cpu >= CPU_SETSIZE) fail(StartFailure::Step::cpu);
    CPU_SET(static_cast<std::size_t>(*command.cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail(StartFailure::Step::cpu);
  }
  if (!command.directory.empty() && chdir(command.directory.c_str()) != 0) fail(StartFailure::Step::directory);
  execve(command.program.c_str(), prepared.arguments.data(), prepared.environment.data());
  fail(StartFailure::Step::exec);
  _exit(127);
}

[[noreturn]] void throw_start_failure(const Command& command, const StartFailure& failure) {
  const char* why = std::strerror(failure.error);
  switch (failure.step) {
    case StartFailure::Step::directory:
      throw StartError(
          fmt::format("{}: cannot run in {}: {}", command.program.string(), command.directory.string(), why));
    case StartFailure::Step::cpu:
      throw StartError(fmt::format("cannot pin to CPU {}: {} (the CPUs that there are: 0 to {})", *command.cpu, why,
                                   sysconf(_SC_NPROCESSORS_CONF) - 1));
    case StartFailure::Step::exec:
      break;
  }
  throw StartError(fmt::format("{}: cannot start: {}", command.program.string(), why));
}

void keep_end(std::string& text, std::string_view more, std::size_t limit) {
  text.append(more);
  // Cut at twice the limit, so that a flood costs one copy per `limit` bytes and not one per read.
  if (text.size() > 2 * limit) text.erase(0, text.size() - limit);
}

// Reads what is there. False at the end of the stream.
bool take(const Fd& fd, std::string& text, std::size_t limit, const std::function<void(std::string_view)>* listener) {
  std::array<char, 16384> bytes;
  const ssize_t n = read(fd.get(), bytes.data(), bytes.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  const std::string_view more(bytes.data(), static_cast<std::size_t>(n));
  keep_end(text, more, limit);
  if (listener != nullptr && *listener) (*listener)(more);
  return true;
}

// A started child; when this dies early (a listener threw), the child and its group are killed.
struct Running {
  pid_t pid;
  Fd pidfd, out, err;
  bool reaped = false;

  Running(pid_t p, Fd wait_fd, Fd o, Fd e) : pid(p), pidfd(std::move(wait_fd)), out(std::move(o)), err(std::move(e)) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    rusage ignored{};
    if (!reaped) reap(ignored);
  }

  /// Kills what is left of the group, then takes the child's status.
  int reap(rusage& usage) {
    kill(-pid, SIGKILL);
    int status = 0;
    while (wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    reaped = true;
    return status;
  }
};

Running start(const Command& command) {
  const Prepared prepared(command);
  Pipe out, err, report;
  const Fd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw StartError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) become(command, prepared, parent, nothing.get(), out.write.get(), err.write.get(), report.write.get());
  setpgid(pid, pid);  // here as well as in the child: whoever comes first, the group exists when we need it
  report.write.reset();
  out.write.reset();
  err.write.reset();
  StartFailure failure{};
  ssize_t n = 0;
  while ((n = read(report.read.get(), &failure, sizeof failure)) < 0 && errno == EINTR) {
  }
  if (n == static_cast<ssize_t>(sizeof failure)) {
    waitpid(pid, nullptr, 0);
    throw_start_failure(command, failure);
  }
  // A descriptor that poll() can wait for; kernels before 5.3 have none, and the loop looks every 20 ms there.
  Fd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  return {pid, std::move(pidfd), std::move(out.read), std::move(err.read)};
}

bool has_ended(pid_t pid) {
  siginfo_t info{};
  // WNOWAIT leaves it a zombie: its process group keeps its number until we have killed the rest of it.
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

// Ends the child when its time is up or when we are asked to stop: SIGTERM, then SIGKILL.
class Ender {
 public:
  Ender(const Command& command, pid_t group) : command_(command), group_(group), deadline_(Clock::now()) { extend(); }

  void check(Ended& ended) {
    const auto now = Clock::now();
    if (!asked_ && stop_signal() != 0 && !command_.despite_stop) {
      ended.interrupted = true;
      ask();
    } else if (!asked_ && command_.timeout_s > 0 && now >= deadline_) {
      if (command_.still_working && command_.still_working()) {
        extend();
      } else {
        ended.timed_out = true;
        ask();
      }
    }
    if (asked_ && (now >= deadline_ || stop_count() > 1)) kill(-group_, SIGKILL);
  }

  /// Milliseconds until check() has something to do; -1: never.
  int wait_ms() const {
    if (!asked_ && command_.timeout_s <= 0) return -1;
    const double left = -seconds_since(deadline_);
    return static_cast<int>(std::clamp(left * 1e3, asked_ ? 20.0 : 0.0, 60e3) + 1);
  }

 private:
  void extend() { deadline_ = Clock::now() + to_duration(command_.timeout_s); }
  void ask() {
    asked_ = true;
    deadline_ = Clock::now() + to_duration(command_.grace_s);
    kill(-group_, SIGTERM);
    kill(-group_, SIGCONT);  // a stopped process would not see it
  }
  static Clock::duration to_duration(double s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  }

  const Command& command_;
  pid_t group_;
  bool asked_ = false;
  Clock::time_point deadline_;
};

void wait_until_it_ends(const Command& command, Running& child, Ended& ended) {
  Ender ender(command, child.pid);
  bool out_open = true, err_open = true;
  const int tick_ms = command.tick_s > 0 ? static_cast<int>(command.tick_s * 1e3) : -1;
  for (;;) {
    if (has_ended(child.pid)) return;
    ender.check(ended);
    int wait_ms = ender.wait_ms();
    if (tick_ms >= 0 && (wait_ms < 0 || tick_ms < wait_ms)) wait_ms = tick_ms;
    if (child.pidfd.get() < 0 && (wait_ms < 0 || wait_ms > 20)) wait_ms = 20;
    // poll() passes over negative descriptors.
    std::array<pollfd, 4> fds = {pollfd{out_open ? child.out.get() : -1, POLLIN, 0},
                                 pollfd{err_open ? child.err.get() : -1, POLLIN, 0},
                                 pollfd{child.pidfd.get(), POLLIN, 0}, pollfd{stop_fd(), POLLIN, 0}};
    if (poll(fds.data(), fds.size(), wait_ms) > 0) {
      if (fds[0].revents != 0) out_open = take(child.out, ended.output, command.kept_bytes, &command.on_output);
      if (fds[1].revents != 0) err_open = take(child.err, ended.errors, command.kept_bytes, nullptr);
      if (fds[3].revents != 0) drain_stop_fd();
    }
    if (command.on_tick) command.on_tick();
  }
}

// What is still in the pipes. Ends early if a descendant that left the group holds them open.
void drain(const Command& command, Running& child, Ended& ended) {
  constexpr double kPatienceSeconds = 0.5;
  const auto start = Clock::now();
  bool out_open = true, err_open = true;
  while ((out_open || err_open) && seconds_since(start) < kPatienceSeconds) {
    std::array<pollfd, 2> fds = {pollfd{out_open ? child.out.get() : -1, POLLIN, 0},
                                 pollfd{err_open ? child.err.get() : -1, POLLIN, 0}};
    if (poll(fds.data(), fds.size(), 100) <= 0) continue;
    if (fds[0].revents != 0) out_open = take(child.out, ended.output, command.kept_bytes, &command.on_output);
    if (fds[1].revents != 0) err_open = take(child.err, ended.errors, command.kept_bytes, nullptr);
  }
  for (std::string* text : {&ended.output, &ended.errors})
    if (text->size() > command.kept_bytes) text->erase(0, text->size() - command.kept_bytes);
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

void fill_usage(Ended& ended, const rusage& usage, const std::optional<CpuTicks>& before,
                const std::optional<CpuTicks>& after) {
  ended.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  ended.peak_rss_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  if (!before || !after) return;
  const auto delta = [](std::uint64_t a, std::uint64_t b) { return b > a ? static_cast<double>(b - a) : 0.0; };
  const double busy = delta(before->busy, after->busy), steal = delta(before->steal, after->steal);
  const double total = busy + steal + delta(before->idle, after->idle);
  // Below ten ticks a share is rounding, not information.
  if (total < 10) return;
  ended.steal = steal / total;
  ended.other_busy = std::max(0.0, busy - static_cast<double>(sysconf(_SC_CLK_TCK)) * ended.cpu_s) / total;
}

}  // namespace

Ended run_child(const Command& command) {
  Ended ended;
  ended.start_unix_s = ended.end_unix_s = unix_now();
  if (stop_signal() != 0 && !command.despite_stop) {
    ended.interrupted = true;
    return ended;
  }
  const auto ticks_before = read_cpu_ticks();
  const auto begin = Clock::now();
  Running child = start(command);
  wait_until_it_ends(command, child, ended);
  rusage usage{};
  const int status = child.reap(usage);
  ended.wall_s = seconds_since(begin);
  ended.end_unix_s = unix_now();
  fill_usage(ended, usage, ticks_before, read_cpu_ticks());
  drain(command, child, ended);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  return ended;
}

std::string how_it_ended(const Ended& ended, double timeout_s) {
  if (ended.interrupted) return "interrupted";
  if (ended.timed_out) return fmt::format("no progress for {:g} s, killed", timeout_s);
  if (ended.signal != 0) return fmt::format("signal {} ({})", ended.signal, strsignal(ended.signal));
  return fmt::format("exit code {}", ended.exit_code);
}

std::string shell_word(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"\\$*?[](){}|&;<>#~`!^") == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted.append(c == '\'' ? "'\\''" : std::string(1, c));
  return quoted + "'";
}

std::string shell_line(const Command& command) {
  std::string line;
  for (const auto& [name, value] : command.environment) line += fmt::format("{}={} ", name, shell_word(value));
  line += shell_word(command.program.string());
  for (const std::string& argument : command.arguments) line += " " + shell_word(argument);
  return line;
}

std::string last_lines(std::string_view text, std::size_t count) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < count) {
    const auto end = text.find_last_of('\n');
    const std::string_view line = end == std::string_view::npos ? text : text.substr(end + 1);
    text = end == std::string_view::npos ? std::string_view() : text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
  }
  std::string joined;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    joined.append(joined.empty() ? "" : "\n").append(*line);
  return joined;
}

}  // namespace pawl::run
