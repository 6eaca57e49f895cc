// environment.cpp -- machine, build and settings -> context pairs.
#include "environment.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "buffers.hpp"
#include "build_info.hpp"
#include "executable_build.hpp"
#include "memory.hpp"
#include "pawl/isa.hpp"
#include "pawl/machine.hpp"

namespace pawl::bench {
namespace {

std::string or_unknown(const std::optional<std::string>& value) { return value.value_or("unknown"); }

std::string yes_no(const std::optional<bool>& value) { return !value ? "unknown" : *value ? "yes" : "no"; }

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string features() {
  const CpuFeatures& cpu = cpu_features();
  std::string text;
  const auto add = [&](bool has, const char* feature) {
    if (has) text.append(text.empty() ? "" : " ").append(feature);
  };
  add(cpu.fma, "fma");
  add(cpu.f16c, "f16c");
  add(cpu.avxvnni, "avx_vnni");
  add(cpu.avx512vnni, "avx512_vnni");
  add(cpu.avx512bf16, "avx512_bf16");
  add(cpu.avx512vbmi, "avx512_vbmi");
  return text;
}

}  // namespace

// Another project's executable may be without optimisation on a library with it; either makes times worthless.
bool is_worthless_build() noexcept {
  if (executable_build != nullptr && executable_build().worthless) return true;
  return kWorthlessFlags || std::string_view(kBuildType) == "Debug";
}

std::vector<std::pair<std::string, std::string>> describe_environment() {
  const MachineInfo machine = describe_machine();
  std::string isas;
  for (Isa isa : runnable_isas()) isas.append(isas.empty() ? "" : " ").append(name(isa));
  // Our own benches are built with the library. Of another project's we know no commit; `pawl run` asks the checkout.
  const bool ours = executable_build == nullptr;
  const ExecutableBuild build = ours ? ExecutableBuild{kBuildType, kCompiler, false} : executable_build();
  return {
      {"pawl_schema", "1"},
      {"pawl_machine_key", machine_key(machine)},
      {"pawl_cpu_model", machine.cpu_model.empty() ? "unknown" : machine.cpu_model},
      {"pawl_isa_runnable", isas},
      {"pawl_isa_active", std::string(name(active_isa()))},
      {"pawl_cpu_features", features()},
      {"pawl_cores", std::to_string(machine.cores)},
      {"pawl_l1d_bytes", std::to_string(machine.caches.l1d_bytes)},
      {"pawl_l2_bytes", std::to_string(machine.caches.l2_bytes)},
      {"pawl_l3_bytes", std::to_string(machine.caches.l3_bytes)},
      {"pawl_smt", yes_no(machine.smt)},
      {"pawl_governor", or_unknown(machine.governor)},
      {"pawl_turbo", yes_no(machine.turbo)},
      {"pawl_hypervisor", or_unknown(machine.hypervisor)},
      {"pawl_huge_pages", or_unknown(machine.huge_pages)},
      {"pawl_load_1min", machine.load_1min ? fmt::format("{}", *machine.load_1min) : "unknown"},
      {"pawl_kernel", machine.kernel},
      {"pawl_build_type", build.type},
      {"pawl_worthless", is_worthless_build() ? "yes" : "no"},
      {"pawl_compiler", build.compiler},
      {"pawl_flags", ours ? kCompileFlags : "unknown"},
      {"pawl_git_commit", ours ? kGitCommit : "unknown"},
      {"pawl_git_dirty", ours ? kGitDirty : "unknown"},
      {"pawl_seed", std::to_string(seed())},
      {"pawl_threads", environment("PAWL_NUM_THREADS", "default")},
      {"pawl_placement", std::to_string(placement())},
      {"pawl_run_index", environment("PAWL_RUN_INDEX", "-1")},
      {"pawl_pair_index", environment("PAWL_PAIR_INDEX", "-1")},
      {"pawl_allocation_hooks", allocation_hooks_present() ? "yes" : "no"},
  };
}

}  // namespace pawl::bench
