// matrix_market_test.cpp -- files that are right give their matrix, files that are wrong a message with the line.
#include "pawl/sparse/matrix_market.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "sparse/patterns.hpp"

namespace pawl::sparse {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHeader = "%%MatrixMarket matrix coordinate real general\n";

std::string message(const std::string& text) {
  try {
    (void)parse_matrix_market<float>(text, "a.mtx");
  } catch (const MatrixMarketError& e) {
    return e.what();
  }
  return "";
}

TEST(MatrixMarket, ReadsWhatItWrites) {
  for (const auto& p : testing::patterns<double, std::int32_t>()) {
    const auto a = testing::csr_of(p);
    const auto back = parse_matrix_market<double>(to_matrix_market(a));
    ASSERT_EQ(back.rows(), a.rows()) << p.name;
    ASSERT_EQ(back.cols(), a.cols());
    ASSERT_TRUE(testing::same_entries(back, testing::map_of(a))) << p.name;
  }
}

TEST(MatrixMarket, ReadsTheKindsOfFiles) {
  const auto symmetric = parse_matrix_market<float>(
      "%%MatrixMarket MATRIX Coordinate Real Symmetric\r\n% a remark\r\n\r\n 3 3  3 \r\n2 1 -1.5e0\r\n1 1 2\r\n3\t2 "
      "+4\r\n");
  EXPECT_THAT(symmetric.row_start(), ElementsAre(0, 2, 4, 5));
  EXPECT_THAT(symmetric.columns(), ElementsAre(0, 1, 0, 2, 1));
  EXPECT_THAT(symmetric.values(), ElementsAre(2.f, -1.5f, -1.5f, 4.f, 4.f));
  const auto skew = parse_matrix_market<float>("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3");
  EXPECT_THAT(skew.values(), ElementsAre(-3.f, 3.f));
  const auto pattern =
      parse_matrix_market<float>("%%MatrixMarket matrix coordinate pattern general\n2 3 2\n2 3\n1 1\n");
  EXPECT_THAT(pattern.columns(), ElementsAre(0, 2));
  EXPECT_THAT(pattern.values(), ElementsAre(1.f, 1.f));
  const auto array = parse_matrix_market<float>("%%MatrixMarket matrix array real general\n2 2\n1\n0\n-2\n3\n");
  EXPECT_THAT(array.columns(), ElementsAre(0, 1, 1));
  EXPECT_THAT(array.values(), ElementsAre(1.f, -2.f, 3.f));
  const auto duplicates = parse_matrix_market<float>(kHeader + "1 1 2\n1 1 2\n1 1 3\n");
  EXPECT_THAT(duplicates.values(), ElementsAre(5.f));
}

TEST(MatrixMarket, SaysTheLineAndWhatIsWrongThere) {
  EXPECT_EQ(message(""), "a.mtx:1: does not begin with %%MatrixMarket");
  EXPECT_EQ(message("hello\n"), "a.mtx:1: does not begin with %%MatrixMarket");
  EXPECT_EQ(message("%%MatrixMarket matrix coordinate complex general\n"),
            "a.mtx:1: field 'complex', expected 'real', 'integer' or 'pattern'");
  EXPECT_THAT(message("%%MatrixMarket vector coordinate real general\n"), HasSubstr("a.mtx:1: object 'vector'"));
  EXPECT_THAT(message("%%MatrixMarket matrix coordinate real hermitian\n"), HasSubstr("a.mtx:1: symmetry 'hermitian'"));
  EXPECT_EQ(message(kHeader), "a.mtx:1: ends before the line of sizes");
  EXPECT_EQ(message(kHeader + "2 2\n"), "a.mtx:2: no number of entries");
  EXPECT_EQ(message(kHeader + "2 -2 1\n"), "a.mtx:2: number of columns '-2' is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(message(kHeader + "2147483648 1 0\n"),
            "a.mtx:2: sizes 2147483648 x 1 are more than 32-bit indices can hold");
  EXPECT_EQ(message(kHeader + "% note\n2 2 1\n3 1 1\n"), "a.mtx:4: row 3 is not from 1 to 2");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 0 1\n"), "a.mtx:3: column 0 is not from 1 to 2");
  EXPECT_EQ(message(kHeader + "2 2 2\n1 1 1\n"), "a.mtx:3: ends after 1 of 2 entries");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 1 1\n1 2 1\n"), "a.mtx:4: more than the announced 1 entries");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 1\n"), "a.mtx:3: no value");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 1 1,5\n"), "a.mtx:3: value '1,5' is not a number");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 1 1e99\n"), "a.mtx:3: value '1e99' is beyond the range of the type");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 1 1e-99\n"), "");
  EXPECT_EQ(message(kHeader + "2 2 1\n1 1 1 0\n"), "a.mtx:3: unexpected '0' at the end of the line");
  EXPECT_EQ(message("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
            "a.mtx:2: a symmetric matrix must be square");
  EXPECT_THAT(message("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n"),
              HasSubstr("a.mtx:3: row 1, column 2 is not below the diagonal"));
  EXPECT_THAT(message("%%MatrixMarket matrix array real general\n2 1\n1\n"),
              HasSubstr("ends before the value of row 2"));
  EXPECT_EQ(message(kHeader + "2 2 18446744073709551615\n"), "a.mtx:2: ends after 0 of 18446744073709551615 entries");
  EXPECT_THAT(message(kHeader + "2 2 1\n1 1 \x1b[31mred" + std::string(100, 'x') + "\n"),
              HasSubstr("value '?[31mredxxxxxxx"));
}

// Damage of any kind ends in a matrix or in an error of the reader, never in anything else.
TEST(MatrixMarket, SurvivesDamagedText) {
  const std::string good = kHeader + "% remark\n4 5 6\n1 1 1.5\n2 3 -2e3\n4 5 0.25\n3 2 7\n1 5 1\n4 1 -0.125\n";
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (auto changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 9);
          break;
        case 2:
          text.insert(at, 1, "0123456789 -+.e\n%"[random() % 17]);
          break;
        default:
          text.resize(at + 1);
          break;
      }
    }
    try {
      const auto a = parse_matrix_market<double>(text);
      ASSERT_TRUE(testing::keeps_promises(a));
    } catch (const MatrixMarketError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1'000u);
}

TEST(MatrixMarket, FilesAreWrittenWholeOrNotAtAll) {
  const auto folder = std::filesystem::temp_directory_path() / "pawl_matrix_market_test";
  std::filesystem::create_directories(folder);
  const auto path = folder / "a.mtx";
  const Csr<double> a(2, 3, std::vector<std::int32_t>{0, 1, 2}, std::vector<std::int32_t>{2, 0},
                      std::vector<double>{0.1, -3});
  write_matrix_market(a, path);
  const auto back = read_matrix_market<double>(path);
  EXPECT_THAT(back.values(), ElementsAre(0.1, -3));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a temporary file was left";
  EXPECT_THROW(write_matrix_market(a, folder / "none" / "a.mtx"), std::runtime_error);
  EXPECT_THROW((void)read_matrix_market<double>(folder / "none.mtx"), MatrixMarketError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pawl::sparse
