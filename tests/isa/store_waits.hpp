// store_waits.hpp -- while one lives, code believes that stores of this CPU wait for their lines, or that they don't.
#pragma once
#include <utility>

#include "isa/store_misses.hpp"

namespace pawl {

class StoreWaits {
 public:
  explicit StoreWaits(bool wait) : before_(std::exchange(detail::stores_wait_for_lines, wait)) {}
  ~StoreWaits() { detail::stores_wait_for_lines = before_; }
  StoreWaits(const StoreWaits&) = delete;
  StoreWaits& operator=(const StoreWaits&) = delete;

 private:
  bool before_;
};

}  // namespace pawl
