// commands.hpp -- a test that runs the built `pawl` in a directory of its own, with fake benches in it.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pawl/run/scratch.hpp"
#include "run/child_process.hpp"

namespace pawl::run {

class CommandTest : public testing::Test {
 protected:
  Scratch scratch;

  Ended pawl(std::vector<std::string> arguments, std::function<void(std::string_view)> on_output = {}) {
    Command command;
    command.program = PAWL_COMMAND;
    command.arguments = std::move(arguments);
    command.directory = scratch.path();
    command.timeout_s = 120;
    command.on_output = std::move(on_output);
    // A repository around the scratch directory would give the results a commit; the terminal's habits don't matter.
    command.environment = {{"GIT_CEILING_DIRECTORIES", scratch.path().parent_path().string()}, {"NO_COLOR", "1"}};
    return run_child(command);
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(scratch / name); }

  std::vector<std::string> files_with(const std::string& ending) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path()))
      if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
    return found;
  }
};

}  // namespace pawl::run
