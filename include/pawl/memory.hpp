// memory.hpp -- allocators for tensors and what is around them, and their statistics.
#pragma once
#include "pawl/memory/aligned_buffer.hpp"      // IWYU pragma: export
#include "pawl/memory/bounded_cache.hpp"       // IWYU pragma: export
#include "pawl/memory/buddy_resource.hpp"      // IWYU pragma: export
#include "pawl/memory/caching_resource.hpp"    // IWYU pragma: export
#include "pawl/memory/debug_resource.hpp"      // IWYU pragma: export
#include "pawl/memory/free_list_resource.hpp"  // IWYU pragma: export
#include "pawl/memory/monotonic_arena.hpp"     // IWYU pragma: export
#include "pawl/memory/numa.hpp"                // IWYU pragma: export
#include "pawl/memory/profiled_resource.hpp"   // IWYU pragma: export
#include "pawl/memory/profiler.hpp"            // IWYU pragma: export
#include "pawl/memory/slab_pool.hpp"           // IWYU pragma: export
#include "pawl/memory/statistics.hpp"          // IWYU pragma: export
