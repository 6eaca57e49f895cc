// diagnosis_test.cpp -- made-up machines and what is wrong with each.
#include "doctor/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pawl::doctor {
namespace {

Facts quiet_machine() {
  Facts f;
  f.machine.cores = 4;
  f.machine.governor = "performance";
  f.machine.turbo = false;
  f.machine.smt = false;
  f.machine.hypervisor = "none";
  f.machine.huge_pages = "madvise";
  f.machine.load_1min = 0.1;
  f.machine.available_bytes = std::uint64_t{16} << 30;
  f.hardware_counters = true;
  f.perf_event_paranoid = 1;
  f.steal = 0;
  f.other_busy = 0.01;
  f.core_looks = 100;
  f.free_disk_bytes = std::uint64_t{100} << 30;
  f.work_tree_commit = "abc";
  f.benches = {{"simd_bench", true, "Release", "abc", ""}};
  return f;
}

const Finding& about(const std::vector<Finding>& findings, const std::string& subject) {
  const auto found = std::ranges::find(findings, subject, &Finding::subject);
  if (found == findings.end()) throw std::out_of_range("no finding about " + subject);
  return *found;
}

TEST(Diagnosis, AQuietMachineIsFine) {
  for (const Finding& f : diagnose(quiet_machine()))
    EXPECT_EQ(f.severity, Severity::fine) << f.subject << ": " << f.found;
}

TEST(Diagnosis, EachFaultIsNamedWithItsFix) {
  const auto expect_bad = [](const std::string& subject, auto spoil) {
    Facts f = quiet_machine();
    spoil(f);
    const auto findings = diagnose(f);
    const Finding& finding = about(findings, subject);
    EXPECT_EQ(finding.severity, Severity::bad) << subject;
    EXPECT_FALSE(finding.fix.empty()) << subject;
    EXPECT_EQ(std::ranges::count(findings, Severity::bad, &Finding::severity), 1) << subject;
  };
  expect_bad("governor", [](Facts& f) { f.machine.governor = "powersave"; });
  expect_bad("load", [](Facts& f) { f.other_busy = 0.5; });
  expect_bad("steal", [](Facts& f) { f.steal = 0.05; });
  expect_bad("core", [](Facts& f) { f.core_shared = 21; });
  expect_bad("huge pages", [](Facts& f) { f.machine.huge_pages = "never"; });
  expect_bad("cores", [](Facts& f) { f.machine.cores = 1; });
  expect_bad("memory", [](Facts& f) { f.machine.available_bytes = 1 << 30; });
  expect_bad("disk", [](Facts& f) { f.free_disk_bytes = 1 << 20; });
  expect_bad("build tools", [](Facts& f) { f.missing_tools = {"cmake"}; });
  expect_bad("benches", [](Facts& f) { f.benches.clear(); });
  expect_bad("simd_bench", [](Facts& f) { f.benches[0].build_type = "Debug"; });
  expect_bad("simd_bench", [](Facts& f) { f.benches[0].commit = "def"; });
  expect_bad("simd_bench", [](Facts& f) {
    f.benches[0].runs = false;
    f.benches[0].problem = "signal 11";
  });
}

TEST(Diagnosis, PeersThatRunAnotherCpusKernelsAreNoted) {
  Facts f = quiet_machine();
  const auto by_themselves = diagnose(f);
  EXPECT_EQ(about(by_themselves, "peers").severity, Severity::fine);
  f.peer_choices = {"OPENBLAS_CORETYPE=Haswell", "BLIS_ARCH_TYPE=2"};
  const auto chosen = diagnose(f);
  EXPECT_EQ(about(chosen, "peers").severity, Severity::note);
  EXPECT_EQ(about(chosen, "peers").found,
            "OPENBLAS_CORETYPE=Haswell, BLIS_ARCH_TYPE=2 in the environment: not the kernels for this CPU");
}

TEST(Diagnosis, WhatIsNotKnownIsANoteAndNotAFault) {
  Facts f;
  f.machine.cores = 2;
  f.benches = {{"other_bench", true, {}, {}, ""}};
  for (const Finding& finding : diagnose(f)) {
    EXPECT_NE(finding.severity, Severity::bad) << finding.subject;
    if (finding.severity == Severity::note) {
      EXPECT_NE(finding.found.find("unknown"), std::string::npos) << finding.subject << ": " << finding.found;
    }
  }
}

TEST(Diagnosis, TheCommandAloneIsNoFault) {
  Facts f = quiet_machine();
  f.benches.clear();
  f.benches_are_meant = false;
  EXPECT_EQ(about(diagnose(f), "benches").severity, Severity::note);
}

TEST(Diagnosis, VirtualMachinesAreNotedWithAdvice) {
  Facts f = quiet_machine();
  f.machine.hypervisor = "KVM";
  const auto findings = diagnose(f);
  EXPECT_EQ(about(findings, "virtualisation").severity, Severity::note);
  EXPECT_NE(about(findings, "virtualisation").fix.find("pawl ab"), std::string::npos);
}

TEST(Diagnosis, ANeighbourThatComesSeldomIsANote) {
  Facts f = quiet_machine();
  f.core_shared = 20;
  const auto findings = diagnose(f);
  EXPECT_EQ(about(findings, "core").severity, Severity::note);
  EXPECT_EQ(about(findings, "core").found, "another hardware thread used it in 20 of 100 looks");
  f.core_looks = f.core_shared = 0;
  const auto nothing_known = diagnose(f);
  EXPECT_EQ(about(nothing_known, "core").found, "unknown");
}

}  // namespace
}  // namespace pawl::doctor
