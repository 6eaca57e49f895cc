// malloc_hooks.hpp -- whether malloc, operator new and their relatives tell observers (observer.hpp).
#pragma once

namespace pawl::memory {

/// True where the program is linked with pawl::malloc_hooks on a system that has them: glibc, or any with
/// AddressSanitizer or ThreadSanitizer, which call hooks of their own. Calling this is what links them.
///
/// Cost       one relaxed load per call of malloc and free while nobody observes.
bool malloc_hooks_present() noexcept;

}  // namespace pawl::memory
