# Third-party packages: the installed one if there is one, else the pinned commit by FetchContent.
#
# Each commit is the release that Debian 12 ships, so that both ways build the same code.
# Without a network: cmake -DFETCHCONTENT_SOURCE_DIR_<NAME>=<checkout> (NAME in upper case), and
# -DPAWL_FETCH=<name;...> to fetch although the package is installed.
include(FetchContent)
set(PAWL_FETCH "" CACHE STRING "Packages to fetch even if they are installed (semicolon list, or ALL)")

# pawl_dependency(<name> <git url> <commit> TARGETS <targets> [FIND <find_package arguments>...])
function(pawl_dependency name url commit)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "TARGETS;FIND")
  list(GET arg_TARGETS 0 main_target)
  if(TARGET ${main_target})
    message(STATUS "${name}: that of the project around")
    return()
  endif()
  if(NOT name IN_LIST PAWL_FETCH AND NOT PAWL_FETCH STREQUAL "ALL")
    find_package(${arg_FIND} QUIET GLOBAL)
  endif()
  if(TARGET ${main_target})
    message(STATUS "${name}: installed")
    return()
  endif()
  message(STATUS "${name}: fetching ${commit}")
  FetchContent_Declare(${name} GIT_REPOSITORY ${url} GIT_TAG ${commit})
  FetchContent_GetProperties(${name})
  if(NOT ${name}_POPULATED)
    FetchContent_Populate(${name})
    add_subdirectory(${${name}_SOURCE_DIR} ${${name}_BINARY_DIR} EXCLUDE_FROM_ALL)
  endif()
  # Our warnings are errors; theirs are not ours to mend.
  foreach(target IN LISTS arg_TARGETS)
    get_target_property(original ${target} ALIASED_TARGET)
    if(NOT original)
      set(original ${target})
    endif()
    get_target_property(includes ${original} INTERFACE_INCLUDE_DIRECTORIES)
    if(includes)
      set_target_properties(${original} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${includes}")
    endif()
  endforeach()
endfunction()

set(BENCHMARK_ENABLE_TESTING OFF CACHE INTERNAL "")
set(BENCHMARK_ENABLE_INSTALL OFF CACHE INTERNAL "")
set(BENCHMARK_ENABLE_WERROR OFF CACHE INTERNAL "")
set(INSTALL_GTEST OFF CACHE INTERNAL "")
set(JSON_BuildTests OFF CACHE INTERNAL "")
set(CLI11_BUILD_TESTS OFF CACHE INTERNAL "")
set(CLI11_BUILD_EXAMPLES OFF CACHE INTERNAL "")
set(CLI11_BUILD_DOCS OFF CACHE INTERNAL "")
set(EIGEN_BUILD_DOC OFF CACHE INTERNAL "")
set(EIGEN_BUILD_TESTING OFF CACHE INTERNAL "")

# fmt: formatting, everywhere; faster and safer than iostreams, and g++ 12 has no std::format.
pawl_dependency(fmt https://github.com/fmtlib/fmt.git a33701196adfad74917046096bf5a2aa0ab0bb50
  TARGETS fmt::fmt FIND fmt 9)
if(PAWL_TOOL OR PAWL_TESTS)
  # nlohmann-json: writes results and reads our own files. Google Benchmark's are read by tools/pawl/read (why: there).
  pawl_dependency(nlohmann_json https://github.com/nlohmann/json.git bc889afb4c5bf1c0d8ee29ef35eaaf4c8bef8a5d
    TARGETS nlohmann_json::nlohmann_json FIND nlohmann_json 3.10)
endif()
if(PAWL_TOOL)
  # CLI11: subcommands, help and option checks of the tool.
  pawl_dependency(cli11 https://github.com/CLIUtils/CLI11.git 70f8072f9dd2292fd0b9f9e5f58e279f60483ed3
    TARGETS CLI11::CLI11 FIND CLI11 2.1)
  # zlib: results come compressed (.json.gz) from artifact stores. A part of every system we build on, so never fetched.
  find_package(ZLIB REQUIRED)
endif()
if(PAWL_BENCHES)
  # Google Benchmark: the harness whose files the whole field reads.
  pawl_dependency(benchmark https://github.com/google/benchmark.git d572f4777349d43653b21d6c2fc63020ab326db2
    TARGETS benchmark::benchmark FIND benchmark 1.7)
endif()
if(PAWL_TESTS)
  pawl_dependency(googletest https://github.com/google/googletest.git 58d77fa8070e8cec2dc1ed015d66b454c8d78850
    TARGETS GTest::gtest GTest::gmock GTest::gmock_main FIND GTest 1.12)
endif()
if(PAWL_KERNELS)
  # xsimd: the vector types under src/kernels/vec.hpp; one spelling for every ISA.
  pawl_dependency(xsimd https://github.com/xtensor-stack/xsimd.git 1577b02d549cca52aa5e943c16f2600950480289
    TARGETS xsimd FIND xsimd 8.1)
  if(PAWL_BENCHES AND NOT PAWL_PEERS STREQUAL "OFF")
    # OpenMP: threads of the peers, from the compiler.
    find_package(OpenMP REQUIRED COMPONENTS CXX)
    # Eigen: the peer that is always there.
    pawl_dependency(eigen https://gitlab.com/libeigen/eigen.git 3147391d946bb4b6c68edd901f2add6ac1f31f8c
      TARGETS Eigen3::Eigen FIND Eigen3 3.4 NO_MODULE)
  endif()
endif()
find_package(Threads REQUIRED)
