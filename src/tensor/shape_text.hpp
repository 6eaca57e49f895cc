// shape_text.hpp -- a Shape -> "[2, 3, 4]", for messages.
#pragma once
#include <string>

#include "pawl/view.hpp"

namespace pawl {

std::string shape_text(const Shape& shape);

}  // namespace pawl
