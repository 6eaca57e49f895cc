// output_file.hpp -- text -> a file that is whole or as it was before, never half of it.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace pawl {

/// Writes beside the target (same directory, hidden name ending in .tmp), and on commit() flushes to the disk and
/// renames. A target that is no regular file (a pipe, /dev/stdout) is written directly; a symbolic link keeps pointing
/// to its file.
///
/// Errors  Failure(kBadInput) that names the file, the system's reason, and that an existing file is unchanged. Without
///         commit() the destructor removes what was written.
class OutputFile {
 public:
  /// Opens the temporary file. The directory must exist.
  explicit OutputFile(const std::filesystem::path& target);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* doing, int reason);

  std::filesystem::path shown_, target_, temporary_;  ///< temporary_ is empty where the target is written directly
  std::string buffer_;
  int fd_ = -1;
  bool replaces_ = false;
};

/// The whole of it at once.
void write_file(const std::filesystem::path& target, std::string_view text);

/// Whether write_file() could begin, asked before the work that makes the text: the errors are the same. What is there
/// is not touched, and pipes and devices are not opened, for a reader may wait at the other end.
void probe_file(const std::filesystem::path& target);

/// Creates a directory and its parents. Errors: Failure(kBadInput) with the system's reason.
void make_directory(const std::filesystem::path& directory);

}  // namespace pawl
