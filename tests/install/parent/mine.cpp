// mine.cpp -- links Pawl from the same build: the C++ version it was compiled for, and a variant that runs here.
#include <cstdio>
#include <pawl/isa.hpp>

int main() {
  const auto isa = pawl::name(pawl::active_isa());
  std::printf("%ld %.*s\n", __cplusplus, static_cast<int>(isa.size()), isa.data());
}
