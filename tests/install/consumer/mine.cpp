// mine.cpp -- links the installed library: [1 2; 3 4] * [5 6; 7 8].
#include <cstdio>
#include <pawl/matmul.hpp>

int main() {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  const auto c = pawl::matmul(pawl::Tensor<float>::from({2, 2}, a), pawl::Tensor<float>::from({2, 2}, b));
  for (float x : c.flat()) std::printf("%g ", static_cast<double>(x));
}
