// call_slots.hpp -- the words through which loaded objects call a function, pointed at another one and back.
//
// A program or shared library calls a function of another one through an address in its own memory, which the loader
// fills in: a slot of its procedure linkage table or its global offset table. Who changes all slots of malloc hears all
// calls of it, and nobody pays for that once they are changed back. heaptrack and others do this to running programs.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>  // __GLIBC__
#include <span>

// Where the loader is glibc's and relocations are of the one kind that is read here (RELA of 64 bits).
#if defined(__GLIBC__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__))
#define PAWL_HAS_CALL_SLOTS 1

namespace pawl::memory {

/// Calls of `name` that lead to the function at `from` shall lead to the one at `to`.
struct Redirection {
  const char* name;
  std::uintptr_t from, to;
};

enum class Redirected { yes, loader_is_busy, refused };

/// The slots that were changed. Calls of its members must not overlap, but other threads may call through the slots.
/// Nothing is allocated.
class CallSlots {
 public:
  /// How many objects were ever loaded; some of these may be half-made until a wait_for_loads() that begins later ends.
  /// This walk over the objects, like those of redirect() and restore(), holds a lock of the loader that a child of a
  /// fork() amid it has locked for ever (glibc 2.36): nobody may fork meanwhile.
  static std::uint64_t loads() noexcept;

  /// Waits for a dlopen() in another thread. So the caller may hold no lock that the constructors of a library could
  /// ask for.
  static void wait_for_loads() noexcept;

  /// Changes the slots of all objects: those that hold `from`, and those that are not bound yet and will be to it. A
  /// slot that holds something else stays: its object has a function of its own.
  ///
  /// `loads`: of loads(), before a wait_for_loads(). loader_is_busy: objects came since, and may be half-made. refused:
  /// the system does not let a slot be changed, or there are more than kMost. Either way all slots are as they were.
  [[nodiscard]] Redirected redirect(std::span<const Redirection> redirections, std::uint64_t loads) noexcept;

  /// Gives each slot that redirect() changed its old value. False, and to be called again, where the system refuses.
  bool restore() noexcept;

  bool redirected() const noexcept { return count_ > 0; }

 private:
  struct Search;
  struct Changed {
    std::uintptr_t* slot;
    std::uintptr_t before, after;
  };
  static constexpr std::size_t kMost = 4096;  // some 5 for each object; 96 KiB that are touched when used
  std::array<Changed, kMost> changed_{};
  std::size_t count_ = 0;
};

}  // namespace pawl::memory
#endif
