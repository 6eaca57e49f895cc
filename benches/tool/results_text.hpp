// results_text.hpp -- a number of rows and a seed -> a result file as Google Benchmark writes it.
#pragma once
#include <cstddef>
#include <string>

namespace pawl::bench {

/// As Google Benchmark 1.8 writes it: about 520 bytes a row, every name once. Names depend on the row alone, times on
/// the seed as well.
std::string results_text(std::size_t rows, unsigned seed);

}  // namespace pawl::bench
