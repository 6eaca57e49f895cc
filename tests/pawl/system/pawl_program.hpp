// pawl_program.hpp -- arguments -> what the built `pawl` prints and how it ends.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pawl {

struct Ended {
  int exit_code = -1;  ///< -1 if a signal ended it
  int signal = 0;
  std::string out, err;
  long peak_kib = 0;  ///< largest resident size
};

struct Start {
  std::vector<std::string> arguments;
  std::filesystem::path directory = ".";           ///< working directory
  std::string input;                               ///< its standard input
  std::map<std::string, std::string> environment;  ///< added
  std::filesystem::path out_file;                  ///< standard output goes there instead of `out`
  std::size_t file_size_limit = 0;                 ///< bytes after which writing a file fails; 0: none
};

Ended run_pawl(const Start& start);

/// The same with a terminal of that many columns as standard output; `err` comes with `out`.
Ended run_pawl_in_terminal(const Start& start, unsigned short columns);

}  // namespace pawl
