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

/// Which calls wake threads that sleep: what waking them takes is more than a short call lasts.
enum class Wake : unsigned char {
  always,
  in_bursts,  // after some that came less than 50 us after each other; else the caller computes what sleepers would
};

namespace detail {
void run_on_threads(int threads, Wake wake, void* object, void (*call)(void*, int thread, int threads)) noexcept;
}

/// Calls body(thread, threads) once for each number `thread` below `threads` and waits for all: 0 on the caller, the
/// others on threads that are kept between calls, or on the caller too where a thread has not come by the time the
/// caller is done with its own. So the parts must not wait for each other. The number of parts does not depend on
/// `wake`.
///
/// With one thread, inside another such call or a parallel region of OpenMP, or while another thread is in such a call,
/// body(0, 1) runs on the caller and no thread is touched; there may also be fewer threads than asked for. So divide
/// the work by the `threads` that body receives. What `body` throws ends the program, unless one thread was asked for.
///
/// Cost       0.8 us where the threads have just been used, else what waking them takes (some 5 to 30 us in a virtual
///            machine), as seen by the caller. A thread spins for 50 us before it sleeps.
template <class Body>
void on_threads(int threads, Body&& body, Wake wake = Wake::always) {
  using B = std::remove_reference_t<Body>;
  if (threads <= 1) {
    body(0, 1);
    return;
  }
  detail::run_on_threads(threads, wake, const_cast<void*>(static_cast<const void*>(std::addressof(body))),
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
