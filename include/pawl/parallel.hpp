// parallel.hpp -- how many threads the kernels use, and the one loop that uses them.
#pragma once
#include <cstddef>
#include <memory>
#include <type_traits>

namespace pawl {

/// Threads that kernels may use: PAWL_NUM_THREADS, else OMP_NUM_THREADS, else the CPUs this process may run on.
/// A value of PAWL_NUM_THREADS that is not a whole number from 1 to 1024 ends the program with one line and exit
/// code 2.
int num_threads() noexcept;

/// Sets it for the whole process. Errors: std::invalid_argument unless 1 <= threads <= 1024.
void set_num_threads(int threads);

namespace detail {
void run_on_threads(int threads, void* object, void (*call)(void*, int thread, int threads));
}

/// Calls body(thread, threads) once on each of `threads` threads, thread 0 being the caller, and waits for all.
///
/// With one thread, or inside another such call, body(0, 1) runs on the caller and no thread is touched; the runtime
/// may also give fewer threads than asked for. So divide the work by the `threads` that body receives.
/// An exception that leaves `body` ends the program.
template <class Body>
void on_threads(int threads, Body&& body) {
  using B = std::remove_reference_t<Body>;
  if (threads <= 1) {
    body(0, 1);
    return;
  }
  detail::run_on_threads(threads, const_cast<void*>(static_cast<const void*>(std::addressof(body))),
                         [](void* object, int thread, int count) { (*static_cast<B*>(object))(thread, count); });
}

/// The part [begin, end) of n elements that `thread` of `threads` works on; boundaries are multiples of `grain`.
struct Range {
  std::size_t begin, end;
};
constexpr Range share(std::size_t n, int thread, int threads, std::size_t grain = 1) noexcept {
  const std::size_t grains = (n + grain - 1) / grain, t = static_cast<std::size_t>(thread),
                    count = static_cast<std::size_t>(threads);
  const std::size_t begin = grains * t / count * grain, end = grains * (t + 1) / count * grain;
  return {begin < n ? begin : n, end < n ? end : n};
}

}  // namespace pawl
