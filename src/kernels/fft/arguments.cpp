// arguments.cpp -- see arguments.hpp.
#include "kernels/fft/arguments.hpp"

#include <stdexcept>

#include "tensor/shape_text.hpp"

namespace pawl::fft {

void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument("fft::" + std::string(function) + ": " + what);
}

void check_array(const char* function, const char* name, const void* data, std::size_t size, std::size_t wanted) {
  if (size != wanted) [[unlikely]]
    refuse(function,
           std::string(name) + " has " + std::to_string(size) + " elements, the plan is for " + std::to_string(wanted));
  if (data == nullptr) [[unlikely]]
    refuse(function, std::string(name) + " is null");
}

void check_view(const char* function, const char* name, const void* data, const Shape& shape, const Shape& wanted) {
  if (shape != wanted) [[unlikely]]
    refuse(function, std::string(name) + " has shape " + shape_text(shape) + ", the plan is for " + shape_text(wanted));
  if (data == nullptr) [[unlikely]]
    refuse(function, std::string(name) + " is null");
}

void check_overlap(const char* function, const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes,
                   bool same_allowed, const char* names) {
  if (same_allowed && a == b && a_bytes == b_bytes) return;
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a), b_begin = reinterpret_cast<std::uintptr_t>(b);
  if (a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes) [[unlikely]]
    refuse(function, std::string(names) + " overlap");
}

void check_workspace(const char* function, std::span<const std::byte> workspace, std::size_t wanted_bytes) {
  if (workspace.size() < wanted_bytes) [[unlikely]]
    refuse(function, "workspace has " + std::to_string(workspace.size()) + " bytes, workspace_bytes() is " +
                         std::to_string(wanted_bytes));
  if (workspace.data() == nullptr) [[unlikely]]
    refuse(function, "workspace is null");
}

}  // namespace pawl::fft
