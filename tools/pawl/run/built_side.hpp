// built_side.hpp -- what a person typed for one side of a comparison (directory, executable, git ref) -> programs to
// run.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "run/bench_program.hpp"
#include "run/git.hpp"
#include "run/progress.hpp"

namespace pawl::run {

/// Where the executables of a git ref come from.
struct SideSource {
  std::string build_command;  ///< run by sh in the ref's work tree; empty: CMake with a Release build in bench_dir
  std::filesystem::path bench_dir = "build";  ///< where its executables then are, below the work tree
  std::vector<std::string> suites;
  std::filesystem::path logs;  ///< existing directory for what the builds print
};

struct BuiltSide {
  std::string label;   ///< as typed
  std::string commit;  ///< of a ref; else empty
  std::vector<BenchProgram> programs;
};

/// Both sides, built where they are refs; their work trees live as long as the object.
class BuiltSides {
 public:
  /// Errors: Failure(kBadInput) for what is neither a directory nor a program nor a ref, for a build that fails (with
  /// its last words and its log), and for a build without executables of the suite. Returns early, without programs, if
  /// a stop signal came.
  BuiltSides(const std::string& base, const std::string& now, const SideSource& source, Progress& progress);
  ~BuiltSides();
  BuiltSides(const BuiltSides&) = delete;
  BuiltSides& operator=(const BuiltSides&) = delete;

  const BuiltSide& base() const { return sides_[0]; }
  const BuiltSide& now() const { return sides_[1]; }

 private:
  BuiltSide resolve(const std::string& text, const char* name);
  BuiltSide build(const std::string& text, const std::string& commit, const std::filesystem::path& repository,
                  const char* name);

  const SideSource& source_;
  Progress& progress_;
  std::filesystem::path scratch_;  ///< holds the work trees; empty as long as there are none
  std::vector<std::unique_ptr<WorkTree>> trees_;
  std::vector<BuiltSide> sides_;
};

/// The default build command, for `jobs` compilers at a time.
std::string default_build_command(const std::filesystem::path& bench_dir, unsigned jobs);

}  // namespace pawl::run
