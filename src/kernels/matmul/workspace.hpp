// workspace.hpp -- memory for packed copies that a thread keeps from call to call.
#pragma once
#include <cstddef>

namespace pawl {

/// At least `bytes` bytes, aligned to 64, of the calling thread's workspace; valid until its next call. Contents are
/// undefined. What the thread has is kept until it ends, so that only a call that needs more allocates: then the old
/// memory goes first. From 2 MiB on the memory is aligned to 2 MiB and the system is asked for huge pages: a block of
/// B spans hundreds of small pages, more than the first-level TLB holds.
///
/// Errors     std::bad_alloc.
void* thread_workspace(std::size_t bytes);

}  // namespace pawl
