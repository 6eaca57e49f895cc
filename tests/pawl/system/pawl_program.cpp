// pawl_program.cpp -- fork, exec, and read what comes out.
#include "pawl/system/pawl_program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

// In the child: never returns.
[[noreturn]] void become_pawl(const Start& start) {
  if (::chdir(start.directory.c_str()) != 0) ::_exit(126);
  if (start.file_size_limit > 0) {
    std::signal(SIGXFSZ, SIG_IGN);  // the write then fails, as on a full disk
    const rlimit limit{start.file_size_limit, start.file_size_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  for (const char* name : {"NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"}) ::unsetenv(name);
  for (const auto& [name, value] : start.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments = {const_cast<char*>("pawl")};
  for (const std::string& argument : start.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execv(PAWL_PROGRAM, arguments.data());
  ::_exit(127);
}

void finish(pid_t child, Ended& ended) {
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  ended.peak_kib = usage.ru_maxrss;
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
}

}  // namespace

Ended run_pawl(const Start& start) {
  const TemporaryDirectory files;  // files, not pipes: nobody has to read while it writes
  const auto input = files.write("in", start.input);
  const auto out = start.out_file.empty() ? files.path() / "out" : start.out_file, err = files.path() / "err";
  const pid_t child = ::fork();
  if (child == 0) {
    const int in_fd = ::open(input.c_str(), O_RDONLY);
    const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(in_fd, 0);
    ::dup2(out_fd, 1);
    ::dup2(err_fd, 2);
    become_pawl(start);
  }
  Ended ended;
  finish(child, ended);
  if (start.out_file.empty()) ended.out = files.read("out");
  ended.err = files.read("err");
  return ended;
}

Ended run_pawl_in_terminal(const Start& start, unsigned short columns) {
  const winsize size{50, columns, 0, 0};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) become_pawl(start);
  Ended ended;
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t got = ::read(terminal, piece.data(), piece.size());
    if (got <= 0) break;  // EIO when the other end is closed
    ended.out.append(piece.data(), static_cast<std::size_t>(got));
  }
  ::close(terminal);
  finish(child, ended);
  std::erase(ended.out, '\r');
  return ended;
}

}  // namespace pawl
