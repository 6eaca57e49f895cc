// files.cpp -- files, directories and standard input -> bytes -> a ResultSet.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "closest.hpp"
#include "read/join.hpp"
#include "read/read.hpp"

namespace pawl::read {
namespace {

namespace fs = std::filesystem;
using Kind = ReadError::Kind;

constexpr std::size_t kPiece = std::size_t{1} << 20;  // bytes read at once where the size is not known
constexpr std::size_t kEntriesLookedAt = 10000;       // of a directory, for a suggestion

/// Bytes without the zeros that a std::string would first write over all of them.
struct Bytes {
  std::unique_ptr<char[]> data;
  std::size_t size = 0, capacity = 0;

  void reserve(std::size_t count) {
    auto larger = std::make_unique_for_overwrite<char[]>(count);
    if (size > 0) std::memcpy(larger.get(), data.get(), size);
    data = std::move(larger);
    capacity = count;
  }
  std::string_view view() const { return {data.get(), size}; }
};

Bytes read_all(std::FILE* file, std::size_t expected, const std::string& name) {
  Bytes bytes;
  bytes.reserve(expected + 1);  // one more, so that the end is met without growing
  for (;;) {
    if (bytes.size == bytes.capacity) bytes.reserve(bytes.capacity + bytes.capacity / 2 + kPiece);
    errno = 0;
    const std::size_t got = std::fread(bytes.data.get() + bytes.size, 1, bytes.capacity - bytes.size, file);
    bytes.size += got;
    if (got > 0) continue;
    if (std::ferror(file) != 0)
      throw ReadError(Kind::missing,
                      fmt::format("{}: cannot be read: {}", name, std::generic_category().message(errno)));
    return bytes;
  }
}

// What was probably meant, by the names beside it.
std::string suggestion(const fs::path& path) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return fmt::format(" (there is no directory {})", folder.string());
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && names.size() < kEntriesLookedAt;
       entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  const std::string meant = closest(path.filename().string(), names);
  if (meant.empty()) return "";
  return fmt::format(" (did you mean {}?)", path.has_parent_path() ? (path.parent_path() / meant).string() : meant);
}

// run-2 before run-10: runs of digits compare by value.
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const auto number = [&](const std::string& text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t first = at;
        while (at < text.size() && digit(text[at])) ++at;
        return text.substr(first, at - first);
      };
      const std::string x = number(a, i), y = number(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    } else {
      ++i, ++j;
    }
  }
  if (i < a.size() || j < b.size()) return j < b.size();
  return a < b;
}

bool has_results_name(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

model::ResultSet read_directory(const fs::path& folder) {
  const std::vector<fs::path> files = results_in(folder);
  if (files.empty())
    throw ReadError(Kind::not_results, fmt::format("{}: the directory holds no *.json or *.json.gz", folder.string()));

  Joiner joiner;
  std::vector<model::Oddity> left_out;
  std::string first_reason;
  std::size_t read = 0;
  for (const fs::path& file : files) {
    try {
      joiner.add(read_file(file));
      ++read;
    } catch (const ReadError& problem) {
      if (problem.kind != Kind::not_results) throw;
      if (first_reason.empty()) first_reason = problem.what();
      left_out.push_back(
          {model::Oddity::Severity::warning, file.string(), 0, 0, "", fmt::format("left out: {}", problem.what())});
    }
  }
  if (read == 0)
    throw ReadError(Kind::not_results, fmt::format("{}: none of its {} JSON files holds Google Benchmark's results; {}",
                                                   folder.string(), files.size(), first_reason));
  model::ResultSet set = joiner.take();
  set.label = folder.string();
  set.oddities.insert(set.oddities.end(), std::make_move_iterator(left_out.begin()),
                      std::make_move_iterator(left_out.end()));
  return set;
}

}  // namespace

std::vector<fs::path> results_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (has_results_name(entry->path()) && !entry->is_directory(ignored)) files.push_back(entry->path());
  }
  if (error) throw ReadError(Kind::missing, fmt::format("{}: cannot be listed: {}", folder.string(), error.message()));
  std::sort(files.begin(), files.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.filename().string(), b.filename().string());
  });
  return files;
}

model::ResultSet read_file(const fs::path& path) {
  if (path == "-") return read_bytes(read_all(stdin, kPiece, "standard input").view(), "standard input");
  const std::string name = path.string();
  std::error_code error;
  if (fs::is_directory(path, error))
    throw ReadError(Kind::missing, fmt::format("{}: this is a directory, not a file", name));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    const int reason = errno;
    if (reason == ENOENT || reason == ENOTDIR)
      throw ReadError(Kind::missing, fmt::format("{}: no such file{}", name, suggestion(path)));
    throw ReadError(Kind::missing,
                    fmt::format("{}: cannot be opened: {}", name, std::generic_category().message(reason)));
  }
  // Pipes and devices have no size.
  const bool sized = fs::is_regular_file(path, error) && !error;
  const std::uintmax_t size = sized ? fs::file_size(path, error) : kPiece;
  return read_bytes(read_all(file.get(), error ? kPiece : static_cast<std::size_t>(size), name).view(), name);
}

model::ResultSet read_path(const fs::path& path) {
  std::error_code error;
  return path != "-" && fs::is_directory(path, error) ? read_directory(path) : read_file(path);
}

}  // namespace pawl::read
