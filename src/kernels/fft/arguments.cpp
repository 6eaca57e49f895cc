// arguments.cpp -- see arguments.hpp.
#include "kernels/fft/arguments.hpp"

#include <stdexcept>

#include "tensor/shape_text.hpp"

namespace pawl::fft {

void refuse(const char* function, const std::string& what) {
  throw std::invalid_argument("fft::" + std::string(function) + ": " + what);
}
void refuse_null(const char* function, const char* name) { refuse(function, std::string(name) + " is null"); }
void refuse_size(const char* function, const char* name, std::size_t size, std::size_t wanted) {
  refuse(function,
         std::string(name) + " has " + std::to_string(size) + " elements, the plan is for " + std::to_string(wanted));
}
void refuse_overlap(const char* function, const char* names) { refuse(function, std::string(names) + " overlap"); }
void refuse_workspace(const char* function, std::size_t bytes, std::size_t wanted_bytes) {
  refuse(function,
         "workspace has " + std::to_string(bytes) + " bytes, workspace_bytes() is " + std::to_string(wanted_bytes));
}

void refuse_shape(const char* function, const char* name, const Shape& shape, const Shape& wanted) {
  refuse(function, std::string(name) + " has shape " + shape_text(shape) + ", the plan is for " + shape_text(wanted));
}

}  // namespace pawl::fft
