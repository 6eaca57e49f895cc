// matmul_table.hpp -- the entries of the category `matmul`.
#pragma once

namespace pawl {

struct MatmulTable {};

}  // namespace pawl
