// data_path.hpp -- while one lives, kernels believe that this CPU works on 512 bits half by half, or that it doesn't.
#pragma once
#include "isa/datapath.hpp"

namespace pawl {

class DataPath {
 public:
  explicit DataPath(bool splits) : before_(detail::splits_512_bits) { detail::splits_512_bits = splits; }
  ~DataPath() { detail::splits_512_bits = before_; }
  DataPath(const DataPath&) = delete;
  DataPath& operator=(const DataPath&) = delete;

 private:
  bool before_;
};

}  // namespace pawl
