// heap_report_test.cpp -- what people and programs read of massif's file.
#include "profile/heap_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "pawl/profile/massif_text.hpp"

namespace pawl::profile {
namespace {

Profiled profiled() { return {"model_bench", {"decode"}, "here/model_bench.massif", parse_massif(kMassifText)}; }

TEST(HeapReport, PeakMeanAndEnd) {
  const HeapUse use = heap_use(profiled().file);
  EXPECT_EQ(use.peak_bytes, 2100000);
  EXPECT_EQ(use.peak_extra_bytes, 340);
  EXPECT_DOUBLE_EQ(use.peak_at, 0.75);
  EXPECT_EQ(use.end_bytes, 100000);
  // Trapezia of 1000, 2000 and 1000 instructions.
  EXPECT_DOUBLE_EQ(use.mean_bytes, (73320 / 2. + 73320 + 2100000 + (2100000 + 100000) / 2.) / 4);
}

TEST(HeapReport, OneMomentHasItsOwnMean) {
  MassifFile file;
  file.snapshots = {{5, 10, 1}, {5, 30, 1}};
  file.peak = 1;
  EXPECT_EQ(heap_use(file).mean_bytes, 30);
  EXPECT_EQ(heap_use(file).peak_at, 0);
  EXPECT_EQ(heap_over_time(file, 2), (std::vector<double>{30, 30}));
}

TEST(HeapReport, OverTime) {
  EXPECT_EQ(heap_over_time(profiled().file, 4), (std::vector<double>{73320, 73320, 2100000, 2100000}));
  EXPECT_EQ(heap_over_time(profiled().file, 8),
            (std::vector<double>{0, 73320, 73320, 73320, 73320, 2100000, 2100000, 2100000}));
}

TEST(HeapReport, CallsThatOnlyPassMemoryOnAreLeftOut) {
  const auto sites = own_sites(profiled().file.sites);
  ASSERT_EQ(sites.size(), 4U);
  EXPECT_EQ(sites[0].bytes, 1150000);
  EXPECT_EQ(sites[0].frames.front().function, "attention(unsigned long, int (*)(float))");
  EXPECT_EQ(sites[1].bytes, 820000);  // by the allocator and by operator new: one chain then
  EXPECT_EQ(sites[1].frames, (std::vector<Frame>{{"project", "/src/model.cpp:5"},
                                                 {"decode(benchmark::State&)", "/src/model.cpp:9"},
                                                 {"main", "/src/model.cpp:20"}}));
  EXPECT_EQ(sites[2].frames, (std::vector<Frame>{{"???", "in /usr/lib/libstdc++.so.6.0.30"}}));
  const std::string body = "pawl::add_rows(int)::{lambda(benchmark::State&)#1}";
  const Site in_function{
      8,
      {{"operator new(unsigned long)", ""},
       {"std::_Function_handler<void (benchmark::State&), " + body + ">::_M_invoke(std::_Any_data const&)", "in bench"},
       {"???", "in /usr/lib/libbenchmark.so.1.7.1"}}};
  EXPECT_EQ(own_sites({in_function}).front().frames, (std::vector<Frame>{{body, "in bench"}}));
  EXPECT_TRUE(own_sites({{0, {{"main", ""}}}}).empty());
  const Site library{8, {{"operator new(unsigned long)", ""}, {"std::string::reserve(unsigned long)", "in a.so"}}};
  EXPECT_EQ(own_sites({library}).front().frames, library.frames);
}

TEST(HeapReport, Text) {
  EXPECT_EQ(
      format_heap_text(profiled(), 2, 2),
      "model_bench\n"
      "  decode\n"
      "heap: peak 2.003 MiB after 75 % of the run (and 340 B of malloc's own), mean 808.1 KiB, 97.66 KiB at the end\n"
      "                ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁████████████████\n\n"
      "live at the peak, by the calls that allocated it\n"
      "   1.097 MiB  54.8 %  attention(unsigned long, int (*)(float))  model.cpp:4\n"
      "                      by decode(benchmark::State&)  model.cpp:9\n"
      "   800.8 KiB  39.0 %  project  model.cpp:5\n"
      "                      by decode(benchmark::State&)  model.cpp:9\n"
      "   127.0 KiB   6.2 %  2 further chains and small ones\n"
      "all of it: ms_print here/model_bench.massif\n");
}

TEST(HeapReport, NamesCannotReachTheTerminal) {
  Profiled one = profiled();
  one.rows = {"decode\x1b[31m"};
  one.file.sites[0].frames[2].function = "evil\x1b]0;title\x07";
  EXPECT_EQ(format_heap_text(one, 9, 9).find('\x1b'), std::string::npos);
}

TEST(HeapReport, Json) {
  const auto json = nlohmann::json::parse(format_heap_json({profiled()}));
  EXPECT_EQ(json.at("schema_version"), 1);
  const auto& program = json.at("programs").at(0);
  EXPECT_EQ(program.at("benchmarks"), nlohmann::json({"decode"}));
  EXPECT_EQ(program.at("peak_heap_bytes"), 2100000);
  EXPECT_EQ(program.at("sites").size(), 5U);
  EXPECT_EQ(program.at("sites").at(0).at("frames").at(3).at("place"), "/src/model.cpp:9");
  EXPECT_EQ(program.at("snapshots").at(3).at("time"), 4000);
}

}  // namespace
}  // namespace pawl::profile
