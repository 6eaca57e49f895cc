// output_file_test.cpp -- a file is whole or as it was, whatever stops the writing.
#include "output_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>

#include "failure.hpp"
#include "pawl/temporary_directory.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::size_t entries(const fs::path& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

// Files of this process end at `bytes`: the write fails as on a full disk, with EFBIG in place of ENOSPC.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(OutputFile, ReplacesOnlyOnCommit) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("a.json", "old");
  {
    OutputFile file(path);
    file.write("new");
    EXPECT_EQ(directory.read("a.json"), "old");
  }
  EXPECT_EQ(directory.read("a.json"), "old");
  EXPECT_EQ(entries(directory.path()), 1U) << "the temporary file was left behind";
  write_file(path, "new");
  EXPECT_EQ(directory.read("a.json"), "new");
  EXPECT_EQ(entries(directory.path()), 1U);
}

TEST(OutputFile, FullDiskLeavesTheOldFile) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("a.json", "old");
  try {
    const FileSizeLimit full(100);
    write_file(path, std::string(1000, 'x'));
    FAIL() << "no error";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.exit_code, kBadInput);
    EXPECT_THAT(failure.line, HasSubstr("a.json: cannot write: File too large; the file that was there is unchanged"));
  }
  EXPECT_EQ(directory.read("a.json"), "old");
  EXPECT_EQ(entries(directory.path()), 1U);
}

TEST(OutputFile, DeviceThatIsFull) {
  try {
    write_file("/dev/full", "text");
    FAIL() << "no error";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.line, HasSubstr("/dev/full: cannot write: No space left on device"));
  }
}

TEST(OutputFile, MissingAndUnwritableDirectories) {
  const TemporaryDirectory directory;
  try {
    write_file(directory.path() / "none" / "a.json", "x");
    FAIL() << "no error";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.line, HasSubstr("none/a.json: cannot create it: No such file or directory"));
  }
  directory.write("file", "x");
  EXPECT_THROW(make_directory(directory.path() / "file" / "below"), Failure);
  EXPECT_THROW(write_file(directory.path(), "x"), Failure);
  make_directory(directory.path() / "a" / "b");
  EXPECT_TRUE(fs::is_directory(directory.path() / "a" / "b"));
}

TEST(OutputFile, KeepsPermissionsAndSymbolicLinks) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("real.json", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
  fs::create_symlink("real.json", directory.path() / "link.json");
  write_file(directory.path() / "link.json", "new");
  EXPECT_TRUE(fs::is_symlink(directory.path() / "link.json"));
  EXPECT_EQ(directory.read("real.json"), "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_write);
  const mode_t mask = umask(022);
  write_file(directory.path() / "fresh.json", "x");
  umask(mask);
  EXPECT_EQ(static_cast<unsigned>(fs::status(directory.path() / "fresh.json").permissions()), 0644U);
}

TEST(OutputFile, AProbeChangesNothing) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("a.json", "old");
  probe_file(path);
  EXPECT_EQ(directory.read("a.json"), "old");
  probe_file(directory.path() / "new.json");
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
  EXPECT_THROW(probe_file(directory.path() / "none" / "a.json"), Failure);
  EXPECT_THROW(probe_file(directory.path()), Failure);
  ASSERT_EQ(mkfifo((directory.path() / "pipe").c_str(), 0600), 0);
  probe_file(directory.path() / "pipe");  // would wait for a reader
}

}  // namespace
}  // namespace pawl
