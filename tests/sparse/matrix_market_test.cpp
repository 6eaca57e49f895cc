// matrix_market_test.cpp -- files that are right give their matrix, files that are wrong a message with the line.
#include "pawl/sparse/matrix_market.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <thread>

#include "pawl/temporary_directory.hpp"
#include "sparse/patterns.hpp"

#if defined(__unix__)
#include <sys/stat.h>
#endif

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
  const std::string zeros(400, '0');
  for (const std::string& small : {std::string("1e-400"), std::string("-2e-324"),
                                   std::string("1e-99999999999999999999"), "0." + zeros + "1", "1" + zeros + ".5e-801"})
    EXPECT_EQ(message(kHeader + "2 2 1\n1 1 " + small + "\n"), "") << small;
  for (const std::string& large :
       {std::string("1e+400"), std::string("1e99999999999999999999"), "1" + zeros, "0." + zeros + "1e801"})
    EXPECT_THAT(message(kHeader + "2 2 1\n1 1 " + large + "\n"), HasSubstr("is beyond the range of the type")) << large;
  // Nothing to read column by column.
  EXPECT_EQ(message("%%MatrixMarket matrix array real general\n0 2147483647\n"), "");
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

// A row's number of more than 19 digits is none of a plain line: each line is then read word by word.
std::string read_by_words(const std::string& text) {
  std::string out;
  bool begins = true;
  for (char c : text) {
    if (begins && c >= '0' && c <= '9') out.append(20, '0');
    begins = c == '\n' || (begins && (c == ' ' || c == '\t' || c == '\r'));
    out += c;
  }
  return out;
}

TEST(MatrixMarket, PlainLinesAreReadAsByWords) {
  std::mt19937_64 random(5);
  const char* const kValues[] = {"%.0f", "%.1f", "%.3f", "%+.7f", "%.16e", "%.17g", "%.25g", "%.9e", "%E", "  %f \t"};
  for (const char* symmetry : {"general", "symmetric", "skew-symmetric"})
    for (const char* format : kValues) {
      std::string text = std::string("%%MatrixMarket matrix coordinate real ") + symmetry + "\n1234567 1234567 300\n";
      for (int k = 0; k < 300; ++k) {
        const auto row = 2 + random() % (k % 3 == 0 ? 10u : 1234566u), column = 1 + random() % (row - 1);
        const double value = std::ldexp(static_cast<double>(random()) - 9.2e18, -static_cast<int>(random() % 90));
        char line[120];
        std::snprintf(line, sizeof line, format, value);
        text += std::to_string(row) + (k % 5 == 0 ? "\t " : " ") + std::to_string(column) + ' ' + line + '\n';
        if (k % 50 == 0) text += "% a remark\n \n";
      }
      const auto plain = parse_matrix_market<double>(text), by_words = parse_matrix_market<double>(read_by_words(text));
      ASSERT_TRUE(testing::same_entries(plain, testing::map_of(by_words))) << symmetry << ' ' << format;
      const auto narrow = parse_matrix_market<float>(text), by_word = parse_matrix_market<float>(read_by_words(text));
      ASSERT_TRUE(testing::same_entries(narrow, testing::map_of(by_word))) << symmetry << ' ' << format;
    }
}

TEST(MatrixMarket, MistakesAmongPlainLinesAreFoundWhereTheyAre) {
  std::string good = kHeader + "9 9 40\n";
  for (int k = 0; k < 20; ++k) good += "1 1 1\n";
  std::string after;
  for (int k = 0; k < 19; ++k) after += "9 9 2.5\n";
  EXPECT_EQ(message(good + "10 1 1\n" + after), "a.mtx:23: row 10 is not from 1 to 9");
  EXPECT_EQ(message(good + "0 1 1\n" + after), "a.mtx:23: row 0 is not from 1 to 9");
  EXPECT_EQ(message(good + "1 99999999999999999999 1\n" + after),
            "a.mtx:23: column '99999999999999999999' is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(message(good + "1 1x 1\n" + after), "a.mtx:23: column '1x' is not a whole number from 0 to 2^64 - 1");
  EXPECT_EQ(message(good + "1 1\n" + after), "a.mtx:23: no value");
  for (const char* no_number : {".", "-", "+-1", "1e", "1e+", "e5", "1.5.", "--1", "0x1p3", "1d5"}) {
    std::string text = good;
    text.append("1 1 ").append(no_number).append("\n").append(after);
    EXPECT_EQ(message(text), std::string("a.mtx:23: value '") + no_number + "' is not a number");
  }
  EXPECT_EQ(message(good + "1 1 4e38\n" + after), "a.mtx:23: value '4e38' is beyond the range of the type");
  EXPECT_EQ(message(good + "1 1 1e4294967296\n" + after),
            "a.mtx:23: value '1e4294967296' is beyond the range of the type");
  EXPECT_EQ(message(good + "1 1 1 7\n" + after), "a.mtx:23: unexpected '7' at the end of the line");
  EXPECT_EQ(message(good + "1 1 3e38\n" + after), "");
  for (const char* symmetry : {"symmetric", "skew-symmetric"}) {
    std::string mirrored = std::string("%%MatrixMarket matrix coordinate real ") + symmetry + "\n9 9 3\n2 1 1\n";
    mirrored += symmetry[1] == 'k' ? "7 7 1\n" : "7 8 1\n";
    EXPECT_THAT(message(mirrored + "3 1 1\n\n\n\n\n\n\n\n\n"), HasSubstr("a.mtx:4: row 7, column"));
  }
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
    std::size_t line = 0;
    std::optional<Csr<double>> matrix;
    try {
      matrix = parse_matrix_market<double>(text);
      ASSERT_TRUE(testing::keeps_promises(*matrix));
    } catch (const MatrixMarketError& e) {
      ++refused;
      line = e.line();
    }
    try {
      const auto again = parse_matrix_market<double>(read_by_words(text));
      ASSERT_TRUE(matrix && testing::same_entries(again, testing::map_of(*matrix))) << text;
    } catch (const MatrixMarketError& e) {
      ASSERT_FALSE(matrix) << text;
      ASSERT_EQ(e.line(), line) << text;
    }
  }
  EXPECT_GT(refused, 1'000u);
}

TEST(MatrixMarket, FilesAreWrittenWholeOrNotAtAll) {
  // Its own: the same test runs on an emulated CPU meanwhile.
  const TemporaryDirectory directory;
  const auto& folder = directory.path();
  const auto path = folder / "a.mtx";
  const Csr<double> a(2, 3, std::vector<std::int32_t>{0, 1, 2}, std::vector<std::int32_t>{2, 0},
                      std::vector<double>{0.1, -3});
  write_matrix_market(a, path);
  const auto back = read_matrix_market<double>(path);
  EXPECT_THAT(back.values(), ElementsAre(0.1, -3));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "a temporary file was left";
  EXPECT_THROW(write_matrix_market(a, folder / "none" / "a.mtx"), std::runtime_error);
  EXPECT_THROW((void)read_matrix_market<double>(folder / "none.mtx"), MatrixMarketError);
#if defined(__unix__)
  // A pipe says nothing of its size, and this text is longer than what is read first.
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  // If reading throws, the writer finds nobody at the other end: the test says what was thrown, and goes on.
  std::signal(SIGPIPE, SIG_IGN);
  std::jthread writer([&] {
    std::ofstream out(pipe);
    out << kHeader << "9000 9000 9000\n";
    for (int k = 9000; k > 0; --k) out << k << ' ' << k << ' ' << k << ".125\n";
  });
  const auto piped = read_matrix_market<double>(pipe);
  writer.join();
  ASSERT_EQ(piped.nonzeros(), 9000u);
  for (std::size_t k = 0; k < 9000; ++k) ASSERT_EQ(piped.values()[k], static_cast<double>(k + 1) + 0.125);
#endif
}

}  // namespace
}  // namespace pawl::sparse
