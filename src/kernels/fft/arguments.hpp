// arguments.hpp -- what a caller passed -> nothing, or one clear line about what does not fit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace pawl::fft {

inline constexpr std::size_t kAlignment = 64;  // bytes: a cache line, the widest vector

/// Throws std::invalid_argument: "fft::<function>: <what>".
[[noreturn, gnu::cold]] void refuse(const char* function, const std::string& what);

/// Refuses null data and another size than the plan's.
void check_array(const char* function, const char* name, const void* data, std::size_t size, std::size_t wanted);

/// Refuses arrays that share memory, unless they are the same one and that is allowed.
void check_overlap(const char* function, const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes,
                   bool same_allowed, const char* names);

void check_workspace(const char* function, std::span<const std::byte> workspace, std::size_t wanted_bytes);

/// Where the workspace reaches kAlignment first.
template <class T>
T* aligned_start(std::span<std::byte> workspace) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
  return reinterpret_cast<T*>(workspace.data() + (kAlignment - address % kAlignment) % kAlignment);
}

}  // namespace pawl::fft
