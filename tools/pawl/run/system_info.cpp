// system_info.cpp -- see system_info.hpp.
#include "run/system_info.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

namespace pawl::run {
namespace {

using Json = nlohmann::ordered_json;

std::string yes_no(const std::optional<bool>& value) { return !value ? "unknown" : *value ? "yes" : "no"; }

std::string architecture() {
  utsname names{};
  return uname(&names) == 0 ? names.machine : "unknown";
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); }

Json or_null_size(std::uint64_t bytes) { return bytes == 0 ? Json(nullptr) : Json(bytes); }

// Variables that change what a bench does.
Json environment() {
  Json json = Json::object();
  for (const char* name : {"PAWL_ISA", "PAWL_NUM_THREADS", "PAWL_SEED", "PAWL_MEMORY_LIMIT", "PAWL_MEMORY_HUGE_PAGES",
                           "PAWL_MEMORY_MALLOC", "OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY",
                           "OPENBLAS_NUM_THREADS", "OPENBLAS_CORETYPE", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
                           "MALLOC_ARENA_MAX", "LD_PRELOAD", "GLIBC_TUNABLES"})
    if (const char* value = std::getenv(name)) json[name] = value;
  return json;
}

}  // namespace

model::Machine machine_of(const MachineInfo& info) {
  model::Machine machine;
  machine.key = machine_key(info);
  machine.cpu_model = info.cpu_model;
  machine.os = info.os;
  machine.arch = architecture();
  machine.cores = info.cores;
  machine.details = {{"governor", info.governor.value_or("unknown")},
                     {"turbo", yes_no(info.turbo)},
                     {"smt", yes_no(info.smt)},
                     {"hypervisor", info.hypervisor.value_or("unknown")},
                     {"huge_pages", info.huge_pages.value_or("unknown")},
                     {"kernel", info.kernel},
                     {"isa", info.isa}};
  return machine;
}

std::string format_system_info(const MachineInfo& info, const model::ResultSet& results) {
  Json json;
  json["schema_version"] = 1;
  json["machine_key"] = machine_key(info);
  json["cpu"] = {{"model", or_null(info.cpu_model)},
                 {"vendor", or_null(info.vendor)},
                 {"architecture", or_null(info.architecture)},
                 {"isa", or_null(info.isa)},
                 {"cores", info.cores},
                 {"smt", or_null(info.smt)},
                 {"l1d_bytes", or_null_size(info.caches.l1d_bytes)},
                 {"l2_bytes", or_null_size(info.caches.l2_bytes)},
                 {"l3_bytes", or_null_size(info.caches.l3_bytes)},
                 {"governor", or_null(info.governor)},
                 {"turbo", or_null(info.turbo)}};
  json["memory"] = {{"total_bytes", or_null(info.memory_bytes)},
                    {"available_bytes", or_null(info.available_bytes)},
                    {"huge_pages", or_null(info.huge_pages)},
                    {"numa_nodes", or_null(info.numa_nodes)}};
  json["system"] = {{"os", or_null(info.os)},
                    {"kernel", or_null(info.kernel)},
                    {"arch", architecture()},
                    {"hostname", or_null(info.hostname)},
                    {"hypervisor", or_null(info.hypervisor)},
                    {"load_1min", or_null(info.load_1min)}};
  const model::Methodology& method = results.methodology;
  json["build"] = {{"commit", or_null(method.commit)},
                   {"dirty", method.dirty},
                   {"compiler", or_null(method.compiler)},
                   {"flags", or_null(method.flags)},
                   {"build_type", or_null(method.build_type)}};
  json["run"] = {
      {"tool", method.tool_version}, {"date", method.date}, {"command", method.command}, {"runs", method.runs}};
  json["settings"] = method.settings;
  json["environment"] = environment();
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace pawl::run
