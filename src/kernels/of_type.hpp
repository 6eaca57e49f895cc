// of_type.hpp -- a table with entries for f32 and f64 -> those for T.
#pragma once

namespace pawl {

/// Always inlined, so that objects of a variant, which leave no function of this name behind, may use it too.
template <class T>
[[gnu::always_inline]] constexpr const auto& of_type(const auto& table) noexcept {
  if constexpr (sizeof(T) == sizeof(float))
    return table.f32;
  else
    return table.f64;
}

}  // namespace pawl
