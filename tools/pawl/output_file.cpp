// output_file.cpp -- temporary file, fsync, rename.
#include "output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <system_error>

#include "failure.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBuffer = std::size_t{1} << 20;  // bytes gathered for one system call

// The permissions that a plain open(..., 0666) would give; mkstemp gives 0600 to protect secrets, which results are
// not.
mode_t default_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

OutputFile::OutputFile(const fs::path& target) : shown_(target), target_(target) {
  std::error_code error;
  if (fs::is_symlink(target, error)) {
    const fs::path pointed = fs::weakly_canonical(target, error);
    if (!error) target_ = pointed;
  }
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail("write", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("open", errno);
    return;
  }
  replaces_ = exists;
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  std::string pattern = (folder / fmt::format(".{}.XXXXXX.tmp", target_.filename().string())).string();
  fd_ = ::mkostemps(pattern.data(), 4, O_CLOEXEC);
  if (fd_ < 0) fail("create it", errno);
  temporary_ = pattern;
  (void)::fchmod(fd_, exists ? status.st_mode & 07777 : default_mode());
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kBuffer) flush();
}

void OutputFile::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t wrote = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (wrote < 0) {
      if (errno == EINTR) continue;
      fail("write", errno);
    }
    done += static_cast<std::size_t>(wrote);
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (temporary_.empty()) {
    const int fd = fd_;
    fd_ = -1;
    if (::close(fd) != 0) fail("write", errno);
    return;
  }
  if (::fsync(fd_) != 0) fail("write", errno);
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail("write", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("replace it", errno);
  temporary_.clear();
  // The rename itself must survive a power cut; where a directory can't be synced, the file is still whole.
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    (void)::fsync(directory);
    ::close(directory);
  }
}

void OutputFile::fail(const char* doing, int reason) {
  throw Failure(kBadInput,
                fmt::format("{}: cannot {}: {}{}", shown_.string(), doing, std::generic_category().message(reason),
                            replaces_ ? "; the file that was there is unchanged" : ""));
}

void write_file(const fs::path& target, std::string_view text) {
  OutputFile file(target);
  file.write(text);
  file.commit();
}

void probe_file(const fs::path& target) {
  std::error_code error;
  if (fs::exists(target, error) && !fs::is_regular_file(target, error) && !fs::is_directory(target, error)) return;
  const OutputFile unwritten(target);
}

void make_directory(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  // create_directories reports no error where a file of that name stands in the way on some systems.
  if (!error && !fs::is_directory(directory)) error = std::make_error_code(std::errc::not_a_directory);
  if (error) {
    throw Failure(kBadInput, fmt::format("{}: cannot create the directory: {}", directory.string(), error.message()));
  }
}

}  // namespace pawl
