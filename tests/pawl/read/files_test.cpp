// files_test.cpp -- files, directories, compressed files and those that are not there.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "parts.hpp"
#include "pawl/gzip.hpp"

namespace pawl::read {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("pawl_files_") + test->name() + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  static ReadError error(const fs::path& path) {
    try {
      read_path(path);
    } catch (const ReadError& problem) {
      return problem;
    }
    ADD_FAILURE() << path << " was read";
    return {ReadError::Kind::damaged, ""};
  }

  fs::path folder_;
};

TEST_F(Files, MissingOnesAreGuessed) {
  write("head.json", "{}");
  write("base.json", "{}");
  const ReadError near = error(folder_ / "hed.json");
  EXPECT_EQ(near.kind, ReadError::Kind::missing);
  EXPECT_EQ(std::string(near.what()), (folder_ / "hed.json").string() + ": no such file (did you mean " +
                                          (folder_ / "head.json").string() + "?)");
  EXPECT_THAT(error(folder_ / "bsae.json").what(), HasSubstr("did you mean"));
  EXPECT_THAT(error(folder_ / "entirely-else.txt").what(), EndsWith("entirely-else.txt: no such file"));
  EXPECT_THAT(error(folder_ / "no" / "head.json").what(),
              EndsWith("no such file (there is no directory " + (folder_ / "no").string() + ")"));
}

TEST_F(Files, InTheCurrentDirectoryAreGuessedWithoutAPath) {
  write("head.json", "{}");
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_EQ(std::string(error("hed.json").what()), "hed.json: no such file (did you mean head.json?)");
  fs::current_path(before);
}

TEST_F(Files, UnreadableOnesSayWhy) {
  EXPECT_THROW(read_file(folder_), ReadError) << "a directory is no file";
  if (geteuid() == 0) GTEST_SKIP() << "root reads everything";
  const fs::path file = write("a.json", document(row("a", 1)));
  fs::permissions(file, fs::perms::none);
  EXPECT_THAT(error(file).what(), HasSubstr("cannot be opened: Permission denied"));
}

TEST_F(Files, CompressedByGzip) {
  const std::string one = document(row("a", 1)), two = document(row("a", 2));
  for (const char* name : {"a.json.gz", "a.json"}) {  // by content, whatever the name says
    const auto set = read_file(write(name, gzip(one)));
    EXPECT_THAT(values(set, "a"), ElementsAre(1 / 1e9));
    EXPECT_EQ(set.processes[0].file, (folder_ / name).string());
  }
  EXPECT_THAT(read_file(write("two.json.gz", gzip(one) + gzip(two))).processes, SizeIs(2)) << "cat a.gz b.gz";
  EXPECT_THAT(read_file(write("pad.json.gz", gzip(one) + std::string(100, '\0'))).processes, SizeIs(1));
  EXPECT_THAT(error(write("empty.json.gz", gzip(""))).what(), HasSubstr("the file is empty"));
}

TEST_F(Files, DamagedGzip) {
  std::string rows = row("r0", 1);
  for (int i = 1; i < 2000; ++i) rows += "," + row("r" + std::to_string(i), i);
  const std::string packed = gzip(document(rows));
  const ReadError cut = error(write("cut.json.gz", packed.substr(0, packed.size() / 2)));
  EXPECT_EQ(cut.kind, ReadError::Kind::damaged);
  EXPECT_THAT(cut.what(), HasSubstr("cut.json.gz: its gzip stream breaks off after"));
  EXPECT_THAT(cut.what(), HasSubstr("complete rows before it were read"));
  ASSERT_NE(cut.partial, nullptr);
  EXPECT_GT(cut.partial->benchmarks.size(), 100U);

  const ReadError end = error(write("end.json.gz", packed.substr(0, packed.size() - 4)));
  EXPECT_THAT(end.what(), HasSubstr("breaks off"));
  EXPECT_EQ(end.partial->benchmarks.size(), 2000U) << "the text is whole, but nothing vouches for it";

  std::string flipped = packed;
  flipped[packed.size() - 6] = static_cast<char>(flipped[packed.size() - 6] ^ 1);  // in the checksum
  EXPECT_THAT(error(write("bad.json.gz", flipped)).what(), HasSubstr("is damaged"));
  EXPECT_THAT(error(write("more.json.gz", packed + "trailing")).what(), HasSubstr("is followed by something else"));
}

TEST_F(Files, DirectoriesInNaturalOrder) {
  for (const int i : {10, 2, 1}) write("run-" + std::to_string(i) + ".json", document(row("a", i)));
  write("run-3.json.gz", gzip(document(row("a", 3))));
  write("notes.txt", "not looked at");
  fs::create_directory(folder_ / "sub.json");
  const auto set = read_path(folder_);
  EXPECT_EQ(set.label, folder_.string());
  ASSERT_THAT(set.processes, SizeIs(4));
  std::vector<double> times;
  for (const model::Reading& reading : set.benchmarks.at(0).readings) times.push_back(reading.series[0].values[0]);
  EXPECT_THAT(times, ElementsAre(1 / 1e9, 2 / 1e9, 3 / 1e9, 10 / 1e9));
  EXPECT_THAT(set.oddities, SizeIs(0));
}

TEST_F(Files, DirectoriesWithOtherThings) {
  write("a.json", document(row("a", 1)));
  write("system-info.json", "{\"cpu\": 1}");
  write("empty.json", "");
  const auto set = read_path(folder_);
  EXPECT_THAT(names(set), ElementsAre("a"));
  ASSERT_THAT(set.oddities, SizeIs(2));
  EXPECT_THAT(set.oddities[1].what, HasSubstr("left out: "));
  EXPECT_THAT(set.oddities[1].what, HasSubstr("system-info.json:1:1: not Google Benchmark's results"));
}

TEST_F(Files, DirectoriesWithoutResults) {
  EXPECT_THAT(error(folder_).what(), HasSubstr("the directory holds no *.json or *.json.gz"));
  write("x.json", "{\"cpu\": 1}");
  EXPECT_THAT(error(folder_).what(), HasSubstr("none of its 1 JSON files holds Google Benchmark's results"));
}

TEST_F(Files, ADamagedFileInADirectoryIsAnError) {
  write("a.json", document(row("a", 1)));
  write("b.json", document(row("a", 1)).substr(0, 60));
  EXPECT_EQ(error(folder_).kind, ReadError::Kind::damaged);
}

TEST_F(Files, StandardInput) {
  const fs::path file = write("in.json", document(row("a", 1)));
  ASSERT_NE(std::freopen(file.c_str(), "rb", stdin), nullptr);
  const auto set = read_path("-");
  EXPECT_THAT(names(set), ElementsAre("a"));
  EXPECT_EQ(set.processes[0].file, "standard input");
}

TEST_F(Files, PipesHaveNoSize) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string text = document(row("a", 1));
  ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(ends[1]);
  const auto set = read_path("/dev/fd/" + std::to_string(ends[0]));  // as bash's <(...) names it
  close(ends[0]);
  EXPECT_THAT(names(set), ElementsAre("a"));
}

}  // namespace
}  // namespace pawl::read
