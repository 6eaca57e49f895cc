// data_path.hpp -- while one lives, kernels believe that this CPU works on 512 bits half by half, or that it doesn't,
// and that its divider is fast, or isn't.
#pragma once
#include "isa/datapath.hpp"

namespace pawl {

class DataPath {
 public:
  explicit DataPath(bool splits, bool divides_fast = false)
      : splits_before_(detail::splits_512_bits), fast_before_(detail::divides_fast) {
    detail::splits_512_bits = splits;
    detail::divides_fast = divides_fast;
  }
  ~DataPath() {
    detail::splits_512_bits = splits_before_;
    detail::divides_fast = fast_before_;
  }
  DataPath(const DataPath&) = delete;
  DataPath& operator=(const DataPath&) = delete;

 private:
  bool splits_before_, fast_before_;
};

}  // namespace pawl
