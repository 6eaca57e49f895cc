// isa.cpp -- CPU features -> the runnable and the active variant. The rules are in isa.hpp.
#include "pawl/isa.hpp"

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "isa/active.hpp"
#include "isa/isa_list.hpp"

namespace pawl {
namespace {

#define PAWL_LIST_ISA(isa) Isa::isa,
constexpr std::array kCompiled{PAWL_FOR_EACH_ISA(PAWL_LIST_ISA)};
#undef PAWL_LIST_ISA

bool supports(const CpuFeatures& cpu, Isa isa) noexcept {
  switch (isa) {
    case Isa::scalar:
      return true;
    case Isa::sse2:
      return cpu.sse2;
    case Isa::avx2:  // everything that the flags of this level in IsaSources.cmake let the compiler use
      return cpu.avx2 && cpu.fma && cpu.f16c && cpu.bmi2;
    case Isa::avx512:
      return supports(cpu, Isa::avx2) && cpu.avx512f && cpu.avx512cd && cpu.avx512dq && cpu.avx512bw && cpu.avx512vl;
    case Isa::neon:
      return cpu.neon;
  }
  return false;
}

struct Runnable {
  std::array<Isa, kCompiled.size()> isas{};
  std::size_t count = 0;
};

const Runnable& runnable() noexcept {
  static const Runnable found = [] {
    Runnable result;
    for (Isa isa : kCompiled)
      if (supports(cpu_features(), isa)) result.isas[result.count++] = isa;
    return result;
  }();
  return found;
}

[[noreturn]] void refuse_forced_isa(const char* text) noexcept {
  std::string known;
  for (Isa isa : runnable_isas()) known.append(" ").append(name(isa));
  std::fprintf(stderr, "pawl: PAWL_ISA=%s %s; this machine runs:%s\n", text,
               parse_isa(text) ? "cannot run here" : "is not a variant", known.c_str());
  std::exit(2);
}

Isa initial_isa() noexcept {
  if (const char* forced = std::getenv("PAWL_ISA"); forced && *forced) {
    const auto isa = parse_isa(forced);
    if (!isa || !is_runnable(*isa)) refuse_forced_isa(forced);
    return *isa;
  }
  return runnable_isas().back();
}

}  // namespace

namespace detail {

constinit std::atomic<std::uint8_t> g_active_isa{kUnsetIsa};

std::uint8_t set_active_isa() noexcept {
  const auto isa = static_cast<std::uint8_t>(initial_isa());  // two threads at once compute the same value
  g_active_isa.store(isa, std::memory_order_relaxed);
  return isa;
}

}  // namespace detail

std::string_view name(Isa isa) noexcept {
  switch (isa) {
    case Isa::scalar:
      return "scalar";
    case Isa::sse2:
      return "sse2";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::neon:
      return "neon";
  }
  return "unknown";
}

std::optional<Isa> parse_isa(std::string_view text) noexcept {
  for (Isa isa : {Isa::scalar, Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon})
    if (name(isa) == text) return isa;
  return std::nullopt;
}

std::span<const Isa> compiled_isas() noexcept { return kCompiled; }

std::span<const Isa> runnable_isas() noexcept { return {runnable().isas.data(), runnable().count}; }

bool is_runnable(Isa isa) noexcept {
  for (Isa each : runnable_isas())
    if (each == isa) return true;
  return false;
}

Isa active_isa() noexcept { return detail::active_isa_inline(); }

ScopedIsa::ScopedIsa(Isa isa) : previous_(active_isa()) {
  if (!is_runnable(isa))
    throw std::invalid_argument("ScopedIsa: " + std::string(name(isa)) + " does not run on this machine");
  detail::g_active_isa.store(static_cast<std::uint8_t>(isa), std::memory_order_relaxed);
}

ScopedIsa::~ScopedIsa() { detail::g_active_isa.store(static_cast<std::uint8_t>(previous_), std::memory_order_relaxed); }

}  // namespace pawl
