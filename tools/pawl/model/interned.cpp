// interned.cpp -- the one copy of each text.
#include "model/interned.hpp"

#include <mutex>
#include <unordered_set>

namespace pawl::model {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

}  // namespace

const std::string& Interned::empty_text() noexcept {
  static const std::string empty;
  return empty;
}

Interned::Interned(std::string_view text) : text_(&empty_text()) {
  if (text.empty()) return;
  // Never destroyed: results may be used by destructors of other static objects.
  static auto& copies = *new std::unordered_set<std::string, Hash, std::equal_to<>>;
  static std::mutex guard;
  const std::lock_guard lock(guard);
  auto found = copies.find(text);
  if (found == copies.end()) found = copies.emplace(text).first;
  text_ = &*found;
}

}  // namespace pawl::model
