// rows_test.cpp -- names follow the grammar or are refused; the numbers of threads of rows.
#include "rows.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "thread_counts.hpp"

namespace pawl::bench {
namespace {

TEST(ThreadCounts, AreOneTwoAndAllCpus) {
  EXPECT_EQ(thread_counts(1), (std::vector{1, 2}));
  EXPECT_EQ(thread_counts(2), (std::vector{1, 2}));
  EXPECT_EQ(thread_counts(16), (std::vector{1, 2, 16}));
}

TEST(RowName, FollowsTheGrammar) {
  EXPECT_EQ(RowName("matmul", "f32", "pawl").with("m", 16).with("kind", std::string("random")).name(),
            "matmul/f32/pawl/m:16/kind:random");
}

TEST(RowName, RefusesWhatFiltersCouldNotTellApart) {
  EXPECT_THROW((void)RowName("", "f32", "pawl").name(), std::invalid_argument);
  EXPECT_THROW((void)RowName("mat mul", "f32", "pawl").name(), std::invalid_argument);
  EXPECT_THROW((void)RowName("matmul", "f32", "Pawl").name(), std::invalid_argument);
  EXPECT_THROW((void)RowName("matmul", "f32", "pawl").with("k", std::string("a/b")).name(), std::invalid_argument);
  EXPECT_THROW((void)RowName("matmul", "f32", "pawl").with("k", std::string()).name(), std::invalid_argument);
}

}  // namespace
}  // namespace pawl::bench
