// inflate.hpp -- gzip bytes -> the bytes that were compressed.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace pawl::read {

struct Inflated {
  std::string bytes;
  std::string problem;  ///< empty, or why `bytes` is not all of it
};

bool is_gzip(std::string_view bytes);

/// Inflates every member of the stream (files may be concatenated). Stops at kMaxInflated: a few kilobytes can ask for
/// terabytes.
Inflated inflate_gzip(std::string_view bytes);

inline constexpr std::size_t kMaxInflated = std::size_t{2} << 30;  ///< bytes; 1,000,000 rows are about 0.3 GB

}  // namespace pawl::read
