// tag_stack.cpp -- see tag_stack.hpp and MemoryTag.
#include "memory_profiler/tag_stack.hpp"

#include "pawl/memory/profiler.hpp"

namespace pawl::memory {
namespace {

// Initial-exec: malloc may ask for it, and the other models may call malloc.
[[gnu::tls_model("initial-exec")]] constinit thread_local TagStack t_tags;

}  // namespace

const TagStack& tag_stack() noexcept { return t_tags; }

MemoryTag::MemoryTag(const char* name) noexcept {
  if (t_tags.depth < TagStack::kDeepest) t_tags.names[t_tags.depth] = name;
  ++t_tags.depth;
}

MemoryTag::~MemoryTag() { --t_tags.depth; }

}  // namespace pawl::memory
