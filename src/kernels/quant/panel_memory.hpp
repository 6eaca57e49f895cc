// panel_memory.hpp -- memory that packed weights live in: aligned, on huge pages where it is large.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace pawl {

/// `bytes` bytes aligned to 64 (from 2 MiB on to 2 MiB, with huge pages asked for: a product reads weights once, in one
/// stream, and should not wait for the TLB every 4 KiB). Errors: std::bad_alloc.
class PanelMemory {
 public:
  PanelMemory() = default;
  explicit PanelMemory(std::size_t bytes);
  std::uint8_t* data() const noexcept { return data_.get(); }

 private:
  struct Free {
    void operator()(std::uint8_t* p) const noexcept;
  };
  std::unique_ptr<std::uint8_t[], Free> data_;
};

}  // namespace pawl
