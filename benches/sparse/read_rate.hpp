// read_rate.hpp -- what threads of this machine reach that only read: the limit of products that read a matrix once.
#pragma once
#include <cstddef>

namespace pawl::bench {

/// Bytes per second of `threads` threads that read `bytes` bytes again and again, each its share from first to last:
/// the fastest of eight passes, with and without prefetching, measured once per size and number of threads. Beside a
/// product of the same bytes it has the same share of them in the caches.
double read_rate(std::size_t bytes, int threads);

}  // namespace pawl::bench
