// interned_test.cpp -- an Interned stands wherever a std::string stood, and one text has one copy.
#include "model/interned.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace pawl::model {
namespace {

TEST(Interned, OneCopyOfEachText) {
  const Interned a = std::string("bytes_per_second");
  const Interned b = std::string_view("bytes_per_second!").substr(0, 16);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.c_str(), b.c_str());
  EXPECT_NE(a, Interned("items_per_second"));
  EXPECT_EQ(Interned(), Interned(""));
  EXPECT_TRUE(Interned().empty());
}

TEST(Interned, StandsWhereAStringStood) {
  Interned text = "cpu_time";
  EXPECT_EQ(text, "cpu_time");
  EXPECT_EQ(text, std::string("cpu_time"));
  EXPECT_TRUE("cpu_time" == text);
  EXPECT_TRUE(std::string("cpu_time") == text);
  EXPECT_NE(text, "real_time");
  const std::string& by_reference = text;
  EXPECT_EQ(by_reference, "cpu_time");
  std::string copied(text);
  copied = text;
  copied += text;
  EXPECT_EQ(copied, "cpu_timecpu_time");
  const std::string_view view = text;
  EXPECT_EQ(view.size(), text.size());
  EXPECT_EQ(text + " x", "cpu_time x");
  EXPECT_EQ("x " + text, "x cpu_time");
  EXPECT_EQ(fmt::format("{:>10}|", text), "  cpu_time|");
  const nlohmann::json json = {{"metric", text}};
  EXPECT_EQ(json.dump(), R"({"metric":"cpu_time"})");
  const std::map<std::string, int> by_name = {{text, 1}};
  EXPECT_EQ(by_name.at(text), 1);
  text = "other";
  EXPECT_EQ(text, "other");
}

TEST(Interned, OrderIsOfTheText) {
  const Interned later = "order_b", earlier = "order_a";  // made in the other order
  EXPECT_LT(earlier, later);
}

TEST(Interned, ThreadsAgreeOnTheCopy) {
  std::vector<Interned> made(8);
  std::vector<std::thread> threads;
  for (Interned& slot : made)
    threads.emplace_back([&slot] {
      for (int i = 0; i < 1000; ++i) slot = "metric" + std::to_string(i);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Interned& text : made) EXPECT_EQ(text, made[0]);
}

}  // namespace
}  // namespace pawl::model
