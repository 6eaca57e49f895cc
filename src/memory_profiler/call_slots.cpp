// call_slots.cpp -- see call_slots.hpp. The tables that are read here: System V ABI, "Dynamic Linking".
#include "memory_profiler/call_slots.hpp"

#ifdef PAWL_HAS_CALL_SLOTS
#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>

namespace pawl::memory {
namespace {

// The relocations that leave a function's address in memory: for calls, bound at the first one or before; for calls and
// values by the global offset table; for values in data, such as a table of functions.
#ifdef __x86_64__
constexpr std::uint64_t kJumpSlot = R_X86_64_JUMP_SLOT, kGlobalOffset = R_X86_64_GLOB_DAT, kWord = R_X86_64_64;
#else
constexpr std::uint64_t kJumpSlot = R_AARCH64_JUMP_SLOT, kGlobalOffset = R_AARCH64_GLOB_DAT, kWord = R_AARCH64_ABS64;
#endif

class Object {
 public:
  explicit Object(const dl_phdr_info& info) noexcept
      : base_(info.dlpi_addr), segments_(info.dlpi_phdr, info.dlpi_phnum) {
    const std::uintptr_t page = getauxval(AT_PAGESZ);
    for (const auto& segment : segments_) {
      const std::uintptr_t begin = base_ + segment.p_vaddr;
      if (segment.p_type == PT_DYNAMIC) read(reinterpret_cast<const ElfW(Dyn)*>(begin));
      if (segment.p_type == PT_GNU_RELRO) {  // the loader leaves a last page that is not whole writable
        read_only_ = begin & ~(page - 1);
        read_only_end_ = (begin + segment.p_memsz) & ~(page - 1);
      }
    }
  }

  std::span<const ElfW(Rela)> calls() const noexcept { return calls_; }
  std::span<const ElfW(Rela)> values() const noexcept { return values_; }
  const ElfW(Sym) & symbol(const ElfW(Rela) & relocation) const noexcept {
    return symbols_[ELF64_R_SYM(relocation.r_info)];
  }
  const char* name(const ElfW(Sym) & symbol) const noexcept { return names_ + symbol.st_name; }
  std::uintptr_t* slot(const ElfW(Rela) & relocation) const noexcept {
    return reinterpret_cast<std::uintptr_t*>(base_ + relocation.r_offset);
  }

  /// Whether `address` lies in a segment that has all these flags.
  bool holds(std::uintptr_t address, unsigned flags) const noexcept {
    for (const auto& segment : segments_)
      if (segment.p_type == PT_LOAD && (segment.p_flags & flags) == flags &&
          address - (base_ + segment.p_vaddr) < segment.p_memsz)
        return true;
    return false;
  }
  bool read_only(const std::uintptr_t* slot) const noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(slot);
    return at >= read_only_ && at < read_only_end_;
  }
  bool protect(int protection) const noexcept {
    return mprotect(reinterpret_cast<void*>(read_only_), read_only_end_ - read_only_, protection) == 0;
  }

 private:
  void read(const ElfW(Dyn) * entry) noexcept {
    std::uintptr_t calls = 0, values = 0, symbols = 0, names = 0;
    std::size_t calls_bytes = 0, values_bytes = 0;
    for (; entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
        case DT_SYMTAB:
          symbols = address(*entry);
          break;
        case DT_STRTAB:
          names = address(*entry);
          break;
        case DT_JMPREL:
          calls = address(*entry);
          break;
        case DT_PLTRELSZ:
          calls_bytes = entry->d_un.d_val;
          break;
        case DT_RELA:
          values = address(*entry);
          break;
        case DT_RELASZ:
          values_bytes = entry->d_un.d_val;
          break;
        default:
          break;
      }
    if (symbols == 0 || names == 0) return;
    symbols_ = reinterpret_cast<const ElfW(Sym)*>(symbols);
    names_ = reinterpret_cast<const char*>(names);
    if (calls != 0) calls_ = {reinterpret_cast<const ElfW(Rela)*>(calls), calls_bytes / sizeof(ElfW(Rela))};
    if (values != 0) values_ = {reinterpret_cast<const ElfW(Rela)*>(values), values_bytes / sizeof(ElfW(Rela))};
  }

  // The loader has made most of these addresses of the process, but not where the table is read-only.
  std::uintptr_t address(const ElfW(Dyn) & entry) const noexcept {
    return entry.d_un.d_ptr < base_ ? base_ + entry.d_un.d_ptr : entry.d_un.d_ptr;
  }

  std::uintptr_t base_;
  std::span<const ElfW(Phdr)> segments_;
  std::span<const ElfW(Rela)> calls_, values_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  std::uintptr_t read_only_ = 0, read_only_end_ = 0;
};

// One object's slots, written to. What the loader made read-only is so again afterwards.
class Writer {
 public:
  explicit Writer(const Object& object) noexcept : object_(object) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() {
    if (open_) object_.protect(PROT_READ);
  }

  bool may_write(const std::uintptr_t* slot) noexcept {
    if (!object_.read_only(slot)) return true;
    return open_ = open_ || object_.protect(PROT_READ | PROT_WRITE);
  }

  /// Only from `before`: the loader may bind the slot at this moment.
  static bool change(std::uintptr_t* slot, std::uintptr_t before, std::uintptr_t after) noexcept {
    return std::atomic_ref(*slot).compare_exchange_strong(before, after, std::memory_order_release,
                                                          std::memory_order_relaxed);
  }

 private:
  const Object& object_;
  bool open_ = false;
};

std::uintptr_t value(std::uintptr_t* slot) noexcept { return std::atomic_ref(*slot).load(std::memory_order_relaxed); }

// The kernel's own object is never relocated, and the loader calls by other ways.
bool skipped(const dl_phdr_info& info) noexcept {
  const unsigned long kernel = getauxval(AT_SYSINFO_EHDR);
  return (kernel != 0 && reinterpret_cast<std::uintptr_t>(info.dlpi_phdr) - kernel < getauxval(AT_PAGESZ)) ||
         (info.dlpi_addr != 0 && info.dlpi_addr == getauxval(AT_BASE));
}

}  // namespace

struct CallSlots::Search {
  CallSlots& slots;
  std::span<const Redirection> redirections;
  std::uint64_t loads;
  Redirected result = Redirected::yes;

  static int in_object(dl_phdr_info* info, std::size_t, void* search) noexcept {
    auto& self = *static_cast<Search*>(search);
    if (info->dlpi_adds != self.loads) self.result = Redirected::loader_is_busy;
    if (self.result == Redirected::yes && !skipped(*info)) self.look_at(Object(*info));
    return self.result == Redirected::yes ? 0 : 1;
  }

  void look_at(const Object& object) noexcept {
    Writer writer(object);
    for (const auto& relocations : {object.calls(), object.values()})
      for (const ElfW(Rela) & relocation : relocations) {
        const std::uint64_t type = ELF64_R_TYPE(relocation.r_info);
        if (type != kJumpSlot && type != kGlobalOffset && type != kWord) continue;
        std::uintptr_t* const slot = object.slot(relocation);
        if (!object.holds(reinterpret_cast<std::uintptr_t>(slot), PF_W)) continue;
        const std::uintptr_t before = value(slot);
        // A slot that is not bound yet leads back into its own object.
        const bool unbound = type == kJumpSlot && object.holds(before, PF_X);
        if (!unbound && !leads_to_one(before)) continue;
        const ElfW(Sym)& symbol = object.symbol(relocation);
        const Redirection* const one = wanted(object.name(symbol));
        if (one == nullptr || before == one->to) continue;
        // It will be bound to `from` if that lies in this object, or none of the name does. (Not in a library that was
        // opened with RTLD_DEEPBIND and brings along its own malloc.)
        const bool will_be = unbound && (symbol.st_shndx == SHN_UNDEF || object.holds(one->from, PF_X));
        if (before != one->from && !will_be) continue;
        if (slots.count_ == kMost || !writer.may_write(slot)) {
          result = Redirected::refused;
          return;
        }
        if (Writer::change(slot, before, one->to)) slots.changed_[slots.count_++] = {slot, before, one->to};
      }
  }

  bool leads_to_one(std::uintptr_t address) const noexcept {
    for (const Redirection& one : redirections)
      if (one.from == address) return true;
    return false;
  }
  const Redirection* wanted(const char* name) const noexcept {
    for (const Redirection& one : redirections)
      if (std::strcmp(one.name, name) == 0) return &one;
    return nullptr;
  }
};

std::uint64_t CallSlots::loads() noexcept {
  std::uint64_t loads = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) noexcept {
        *static_cast<std::uint64_t*>(to) = info->dlpi_adds;
        return 1;
      },
      &loads);
  return loads;
}

void CallSlots::wait_for_loads() noexcept {
  Dl_info nothing;
  dladdr(nullptr, &nothing);  // takes the lock that dlopen() holds until its objects are ready
}

Redirected CallSlots::redirect(std::span<const Redirection> redirections, std::uint64_t loads) noexcept {
  Search search{*this, redirections, loads};
  dl_iterate_phdr(Search::in_object, &search);
  if (search.result != Redirected::yes) restore();
  return search.result;
}

bool CallSlots::restore() noexcept {
  struct Way {
    std::span<const Changed> changed;
    bool refused = false;
  } way{{changed_.data(), count_}};
  // By objects, since some may have been closed meanwhile. Where another lies in its place, no slot holds `after`.
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* to) noexcept {
        auto& [changed, refused] = *static_cast<Way*>(to);
        const Object object(*info);
        Writer writer(object);
        for (const Changed& one : changed) {
          if (!object.holds(reinterpret_cast<std::uintptr_t>(one.slot), PF_W) || value(one.slot) != one.after) continue;
          if (writer.may_write(one.slot))
            Writer::change(one.slot, one.after, one.before);
          else
            refused = true;
        }
        return 0;
      },
      &way);
  if (!way.refused) count_ = 0;
  return !way.refused;
}

}  // namespace pawl::memory
#endif
