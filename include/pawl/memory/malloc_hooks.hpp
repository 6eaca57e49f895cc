// malloc_hooks.hpp -- whether malloc, operator new and their relatives tell observers (observer.hpp).
#pragma once

namespace pawl::memory {

/// True where the program is linked with pawl::malloc_hooks and a trial was heard: with glibc on x86-64 or AArch64
/// unless it is linked statically, and with AddressSanitizer or ThreadSanitizer, which call hooks of their own. Calling
/// this is what links them and makes them work. False as well if the system did not let them in the last time.
///
/// Heard      calls from the program and from libraries that were loaded before the first observer came; not those by a
///            pointer to the function that was taken before. docs/kernels/memory.md has the rest.
/// Cost       none while nobody observes: nothing is replaced. Some 0.1 ms when the first observer comes and the last
///            one goes.
bool malloc_hooks_present() noexcept;

}  // namespace pawl::memory
