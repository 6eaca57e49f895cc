// math_functions.hpp -- the functions of include/pawl/math.hpp as a list: name, entry, reference, documented bound.
#pragma once
#include <vector>

#include "kernels/tables.hpp"
#include "reference/math_ref.hpp"

namespace pawl::testing {

template <class T>
struct MathFunction {
  const char* name;
  typename MathOps<T>::Function MathOps<T>::*entry;
  reference::Wide<T> (*exact)(T);
  double ulp;  ///< the docstring's bound
};

template <class T>
std::vector<MathFunction<T>> math_functions() {
  using Ops = MathOps<T>;
  return {{"exp", &Ops::exp, reference::exp<T>, 2},
          {"log", &Ops::log, reference::log<T>, 2},
          {"tanh", &Ops::tanh, reference::tanh<T>, 2},
          {"sigmoid", &Ops::sigmoid, reference::sigmoid<T>, 2},
          {"gelu", &Ops::gelu, reference::gelu<T>, 2},
          {"gelu_tanh", &Ops::gelu_tanh, reference::gelu_tanh<T>, sizeof(T) == sizeof(float) ? 2.1 : 2.0}};
}

template <class T>
const MathOps<T>& math_ops(Isa isa) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return math_table(isa).f32;
  } else {
    return math_table(isa).f64;
  }
}

}  // namespace pawl::testing
