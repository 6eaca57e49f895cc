// stop_signal.cpp -- see stop_signal.hpp.
#include "run/stop_signal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

namespace pawl::run {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// A handler can only reach globals; lock-free atomics are what it may touch.
std::atomic<int> g_signal = 0, g_count = 0, g_write_fd = -1, g_read_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free);
std::array<struct sigaction, kSignals.size()> g_previous;

extern "C" void on_stop(int number) {
  const int saved = errno;
  g_signal = number;
  ++g_count;
  const char byte = 1;
  // A full pipe is readable already, which is all that the byte is for.
  [[maybe_unused]] const ssize_t written = write(g_write_fd, &byte, 1);
  errno = saved;
}

}  // namespace

StopSignal::StopSignal() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  g_read_fd = ends[0];
  g_write_fd = ends[1];
  g_signal = 0;
  g_count = 0;
  struct sigaction action {};
  action.sa_handler = on_stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &g_previous[i]);
    // What the one who started us ignores (nohup) stays ignored.
    if (g_previous[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignal::~StopSignal() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &g_previous[i], nullptr);
  close(g_write_fd.exchange(-1));
  close(g_read_fd.exchange(-1));
  g_signal = 0;
  g_count = 0;
}

void end_at_broken_pipe() noexcept {
  struct sigaction action {};
  sigaction(SIGPIPE, nullptr, &action);
  if (action.sa_handler == on_stop) std::signal(SIGPIPE, SIG_DFL);
}

int stop_signal() noexcept { return g_signal; }

int stop_count() noexcept { return g_count; }

int stop_fd() noexcept { return g_read_fd; }

void drain_stop_fd() noexcept {
  std::array<char, 64> bytes;
  while (g_read_fd >= 0 && read(g_read_fd, bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace pawl::run
