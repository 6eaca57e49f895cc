// ab_schedule_test.cpp -- what is measured next, for each state of knowledge.
#include "run/ab_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace pawl::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<Row> some_rows(std::size_t count) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back({i % 2, "row" + std::to_string(i)});
  return rows;
}

// Ten rows in two executables; a pair of all takes 2 * 1 s + 10 * 0.5 s = 7 s.
Known known(Stage stage, int pairs) {
  Known k;
  k.stage = stage;
  k.pairs = pairs;
  k.rows = some_rows(10);
  k.cost = {{1, 1}, {0.5, 0.5}};
  return k;
}

TEST(Cost, StartsEachExecutableOnce) {
  const Cost cost{{1, 10}, {0.5, 0.25}};
  EXPECT_DOUBLE_EQ(cost.of_pair({}), 0);
  EXPECT_DOUBLE_EQ(cost.of_pair({{0, "a"}, {0, "b"}}), 2);
  EXPECT_DOUBLE_EQ(cost.of_pair({{0, "a"}, {1, "b"}}), 11.75);
}

TEST(NextBatch, ScreeningMeasuresEverything) {
  const auto first = next_batch(known(Stage::screening, 0), {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->stage, Stage::screening);
  EXPECT_EQ(first->pairs, 1);
  EXPECT_THAT(first->rows, IsEmpty()) << "empty: all";
  const auto rest = next_batch(known(Stage::screening, 1), {});
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->stage, Stage::screening);
  EXPECT_EQ(rest->pairs, 4);
}

TEST(NextBatch, NothingOpenIsTheEnd) {
  EXPECT_FALSE(next_batch(known(Stage::screening, 5), {}));
  Rules rules;
  rules.until_decided = true;
  EXPECT_FALSE(next_batch(known(Stage::screening, 5), rules));
  EXPECT_FALSE(next_batch(known(Stage::confirming, 5), rules));
}

TEST(NextBatch, ScreeningTakesTheTimeThereIsAndAtLeastTwoPairs) {
  Rules rules;
  rules.max_time_s = 28;
  auto k = known(Stage::screening, 1);
  k.spent_s = 7;
  EXPECT_EQ(next_batch(k, rules)->pairs, 3);  // 21 s left, 7 s a pair
  rules.max_time_s = 7;
  EXPECT_EQ(next_batch(k, rules)->pairs, 1) << "two pairs in all";
  k.pairs = 2;
  EXPECT_FALSE(next_batch(k, rules));
}

TEST(NextBatch, UndecidedRowsWaitUnlessAskedFor) {
  auto k = known(Stage::screening, 5);
  k.undecided = {{k.rows[0], 3}};
  EXPECT_FALSE(next_batch(k, {}));
}

TEST(NextBatch, DecidingMeasuresJustTheUndecided) {
  Rules rules;
  rules.until_decided = true;
  auto k = known(Stage::screening, 5);
  k.undecided = {{k.rows[0], 30}, {k.rows[3], 2}};
  const auto batch = next_batch(k, rules);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->stage, Stage::deciding);
  EXPECT_EQ(batch->pairs, 2) << "what the nearest one needs";
  EXPECT_THAT(batch->rows, ElementsAre(k.rows[3], k.rows[0]));
  k.undecided = {{k.rows[0], 30}};
  EXPECT_EQ(next_batch(k, rules)->pairs, rules.pairs) << "then it looks again";
  k.undecided = {{k.rows[0], 0}};
  EXPECT_EQ(next_batch(k, rules)->pairs, 1) << "not known how many";
}

TEST(NextBatch, DecidingEndsAtTheMostPairs) {
  Rules rules;
  rules.until_decided = true;
  rules.most_pairs = 12;
  auto k = known(Stage::deciding, 10);
  k.undecided = {{k.rows[0], 30}};
  EXPECT_EQ(next_batch(k, rules)->pairs, 2);
  k.pairs = 12;
  EXPECT_FALSE(next_batch(k, rules));
}

TEST(NextBatch, DecidingLeavesOutWhatIsHopelessInTheTime) {
  Rules rules;
  rules.until_decided = true;
  rules.max_time_s = 100;
  auto k = known(Stage::deciding, 5);
  k.spent_s = 90;  // 10 s left; a pair of one row takes 1.5 s, so 6 pairs
  k.undecided = {{k.rows[0], 4}, {k.rows[1], 900}};
  const auto batch = next_batch(k, rules);
  ASSERT_TRUE(batch);
  EXPECT_THAT(batch->rows, ElementsAre(k.rows[0]));
  EXPECT_EQ(batch->pairs, 4);
  k.undecided = {{k.rows[1], 900}};
  EXPECT_FALSE(next_batch(k, rules));
  k.undecided = {{k.rows[0], 4}};
  k.spent_s = 99;
  EXPECT_FALSE(next_batch(k, rules)) << "not even one pair";
}

TEST(NextBatch, DecidingLeavesTimeForTheConfirmation) {
  Rules rules;
  rules.until_decided = true;
  rules.max_time_s = 20;
  auto k = known(Stage::deciding, 5);
  k.spent_s = 10;
  k.undecided = {{k.rows[0], 2}};
  EXPECT_EQ(next_batch(k, rules)->stage, Stage::deciding);
  k.suspected = {k.rows[2]};  // 5 pairs of 1.5 s; 2.5 s remain
  EXPECT_EQ(next_batch(k, rules)->pairs, 1);
  k.suspected = {k.rows[2], k.rows[4], k.rows[6]};  // 5 pairs of 2.5 s: nothing remains
  EXPECT_EQ(next_batch(k, rules)->stage, Stage::confirming);
}

TEST(NextBatch, SuspectsAreConfirmedEvenWhenTheTimeIsUp) {
  Rules rules;
  rules.max_time_s = 10;
  auto k = known(Stage::screening, 5);
  k.spent_s = 100;
  k.suspected = {k.rows[2], k.rows[5]};
  const auto batch = next_batch(k, rules);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->stage, Stage::confirming);
  EXPECT_EQ(batch->pairs, rules.pairs);
  EXPECT_EQ(batch->rows, k.suspected);
  rules.confirm = false;
  EXPECT_FALSE(next_batch(k, rules));
}

TEST(NextBatch, TheConfirmationGoesOnWithWhatItCannotTell) {
  Rules rules;
  auto k = known(Stage::confirming, 5);
  k.suspected = {k.rows[2], k.rows[5]};
  EXPECT_FALSE(next_batch(k, rules)) << "all confirmed or cleared";
  k.undecided = {{k.rows[5], 30}};
  auto batch = next_batch(k, rules);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->stage, Stage::confirming);
  EXPECT_THAT(batch->rows, ElementsAre(k.rows[5]));
  k.pairs = 10;
  EXPECT_FALSE(next_batch(k, rules)) << "twice the pairs is enough";
  rules.until_decided = true;
  EXPECT_TRUE(next_batch(k, rules));
  rules.max_time_s = 10;
  k.spent_s = 10;
  EXPECT_FALSE(next_batch(k, rules));
}

// Whatever the judge answers, a comparison ends, and within its time where it has one.
TEST(NextBatch, AlwaysEnds) {
  for (unsigned seed = 1; seed < 400; ++seed) {
    unsigned state = seed * 2654435761u;
    const auto random = [&](unsigned below) {
      state = state * 1664525u + 1013904223u;
      return (state >> 16) % below;
    };
    Rules rules;
    rules.until_decided = random(4) != 0;
    rules.pairs = 1 + static_cast<int>(random(7));
    if (random(2) == 0) rules.max_time_s = 1 + random(300);
    auto k = known(Stage::screening, 0);
    int batches = 0, pairs = 0;
    while (const auto batch = next_batch(k, rules)) {
      ASSERT_LT(++batches, 200) << "seed " << seed;
      ASSERT_GT(batch->pairs, 0);
      if (batch->stage == Stage::confirming && k.stage != Stage::confirming) k.pairs = 0;
      k.stage = batch->stage;
      k.pairs += batch->pairs;
      pairs += batch->pairs;
      const auto& measured = batch->rows.empty() ? k.rows : batch->rows;
      k.spent_s += batch->pairs * k.cost.of_pair(measured);
      if (rules.max_time_s && batch->stage == Stage::deciding) {
        ASSERT_LE(k.spent_s, *rules.max_time_s + 1e-9) << "seed " << seed;
      }
      k.undecided.clear();
      for (const Row& row : measured)
        if (random(3) == 0) k.undecided.push_back({row, random(50)});
      if (k.stage != Stage::confirming) {
        k.suspected.clear();
        for (const Row& row : k.rows)
          if (random(9) == 0) k.suspected.push_back(row);
      }
    }
    ASSERT_GE(pairs, std::min(rules.pairs, 2));
  }
}

}  // namespace
}  // namespace pawl::run
