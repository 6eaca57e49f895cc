// results_directory.cpp -- see results_directory.hpp.
#include "run/results_directory.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "failure.hpp"
#include "output_file.hpp"

namespace pawl::run {
namespace {

namespace fs = std::filesystem;

std::tm utc(double unix_s) { return fmt::gmtime(static_cast<std::time_t>(unix_s)); }

}  // namespace

std::string timestamp(double unix_s) { return fmt::format("{:%Y-%m-%dT%H%M%SZ}", utc(unix_s)); }

std::string iso_time(double unix_s) { return fmt::format("{:%Y-%m-%dT%H:%M:%S+00:00}", utc(unix_s)); }

fs::path new_results_directory(double unix_s, const std::string& commit, const std::string& ending) {
  const fs::path results = "results";
  make_directory(results);
  const std::string name = timestamp(unix_s) + "_" + (commit.empty() ? "nogit" : commit.substr(0, 7)) + ending;
  fs::path path = results / name;
  std::error_code error;
  for (int again = 2; !fs::create_directory(path, error); ++again) {
    if (error && !fs::exists(path)) make_directory(path);  // which says why not
    path = results / fmt::format("{}-{}", name, again);
  }
  return path;
}

void make_results_directory(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(directory, error) && !fs::is_empty(directory, error))
    throw Failure(kBadInput,
                  fmt::format("{}: exists and is not empty; name a new directory with --out", directory.string()));
  make_directory(directory / "raw");
  const fs::path probe = directory / "raw" / ".probe";
  write_file(probe, "a few bytes that have to fit\n");
  fs::remove(probe, error);
}

void remove_without_results(const fs::path& directory) {
  std::error_code ignored;
  fs::remove_all(directory / "raw" / "disturbed", ignored);
  fs::remove(directory / "raw", ignored);
  fs::remove(directory, ignored);
}

}  // namespace pawl::run
