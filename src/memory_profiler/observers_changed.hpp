// observers_changed.hpp -- who makes malloc tell as long as somebody listens (malloc_hooks.cpp).
#pragma once

namespace pawl::memory {

/// `follower` is called at the end of each add_observer() that adds and each remove_observer(), by several threads at
/// the same time if need be, and asks observed() what is true now. There is one. False if the child of a fork() amid a
/// change could not observe.
bool on_observers_changed(void (*follower)() noexcept) noexcept;

}  // namespace pawl::memory
