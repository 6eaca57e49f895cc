// read_fuzz.cpp -- libFuzzer's entry: any bytes into the reader (clang++, -DPAWL_FUZZ=ON).
//
// A longer run: build/bin/read_fuzz -dict=tests/fuzz/read.dict -max_len=65536 CORPUS tests/fuzz/corpus/read
#include <cstddef>
#include <cstdint>

#include "read_invariants.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pawl::read::read_and_check({reinterpret_cast<const char*>(data), size});
  return 0;
}
