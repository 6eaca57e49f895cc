// scratch.hpp -- a test's own directory, with fake benches in it; gone when the test ends.
#pragma once
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

namespace pawl::run {

class Scratch {
 public:
  Scratch() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("pawl_run_" + std::to_string(getpid()) + "_" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }

  /// An executable (fixtures/fake_bench.cpp) that has these rows.
  std::filesystem::path fake_bench(const std::string& name, const std::string& rows) const {
    write(name + ".rows", rows);
    const auto program = path_ / name;
    std::filesystem::copy_file(PAWL_FAKE_BENCH, program, std::filesystem::copy_options::overwrite_existing);
    return program;
  }

  std::string read(const std::string& name) const {
    std::ifstream stream(path_ / name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::filesystem::path path_;
};

}  // namespace pawl::run
