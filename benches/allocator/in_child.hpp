// in_child.hpp -- runs a piece of work in a child process, so that the memory it held is its own, and reads its
// figures.
#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace pawl::bench {

struct Aftermath {
  bool right = true;
  double seconds = 0;  // of CPU time, since wall time here is that of whoever else runs too
  double live_bytes = 0, resident_bytes = 0;
  double fragmentation = -1, fragmentation_after_free = -1;  // where the allocator tells
};

/// Pages of this process that are in memory, in bytes.
inline std::size_t resident_bytes() {
  unsigned long size = 0, resident = 0;
  if (std::FILE* f = std::fopen("/proc/self/statm", "r"); f != nullptr) {
    if (std::fscanf(f, "%lu %lu", &size, &resident) != 2) resident = 0;
    std::fclose(f);
  }
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// CPU time of this process, all threads and the system's part, in seconds.
inline double process_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// Has 256 MiB, more than any child here takes, at hand in this system, in pages of both sizes. The host of a virtual
/// machine takes free memory back, and who asks next waits for it: one child in six took 1.4 times the CPU time for
/// that, whichever came after a pause.
inline void have_pages_at_hand() {
  constexpr std::size_t kBytes = std::size_t{256} << 20, kPage = 4096;
  void* const pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return;
  madvise(pages, kBytes, MADV_HUGEPAGE);
  for (std::size_t at = 0; at < kBytes; at += kPage) static_cast<volatile char*>(pages)[at] = 1;
  munmap(pages, kBytes);
}

/// Does `work` in a fresh process of this program, which runs only the benchmark `name`: there in_child is called
/// again, finds the descriptor to write to, and does not return.
template <class Work>
Aftermath in_child(const std::string& name, Work work) {
  constexpr const char* kDescriptor = "PAWL_AFTERMATH_FD";
  if (const char* fd = std::getenv(kDescriptor); fd != nullptr) {
    const Aftermath seen = work();
    _exit(write(std::atoi(fd), &seen, sizeof seen) == static_cast<ssize_t>(sizeof seen) ? 0 : 1);
  }
  have_pages_at_hand();
  Aftermath out;
  out.right = false;
  int ends[2];
  if (pipe(ends) != 0) return out;
  const std::string descriptor = std::to_string(ends[1]), filter = "--benchmark_filter=^" + name + "/";
  const pid_t child = fork();
  if (child == 0) {
    setenv(kDescriptor, descriptor.c_str(), 1);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execl("/proc/self/exe", "allocator_bench", filter.c_str(), "--pawl_yardsticks=off", static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  if (child > 0) {
    if (read(ends[0], &out, sizeof out) != static_cast<ssize_t>(sizeof out)) out.right = false;
    int status = 0;
    waitpid(child, &status, 0);
    out.right = out.right && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  close(ends[0]);
  return out;
}

}  // namespace pawl::bench
