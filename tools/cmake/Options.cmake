# What can be chosen at configure time, and the defaults that a plain `cmake -B build` gets.
option(PAWL_KERNELS "Build the kernels and their benchmarks; OFF leaves the tool and pawl::bench_main" ON)
# Another project that has Pawl in its build gets the libraries, and the rest if it asks.
option(PAWL_BENCHES "Build pawl::bench_main and, with PAWL_KERNELS, the bench executables" ${PROJECT_IS_TOP_LEVEL})
option(PAWL_TOOL "Build the command `pawl`" ${PROJECT_IS_TOP_LEVEL})
option(PAWL_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(PAWL_INSTALL "Give `cmake --install` what was built" ${PROJECT_IS_TOP_LEVEL})
option(PAWL_FUZZ "Build the libFuzzer targets (clang++ only)" OFF)
option(PAWL_WERROR "Warnings of our own code are errors" OFF)
set(PAWL_PEERS AUTO CACHE STRING "Peer libraries in the benches: AUTO takes those found, ON demands all, OFF takes none")
set_property(CACHE PAWL_PEERS PROPERTY STRINGS AUTO ON OFF)
if(NOT PAWL_PEERS MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "PAWL_PEERS is '${PAWL_PEERS}'; it takes AUTO, ON or OFF")
endif()

# Without a build type CMake passes no -O at all: numbers would be worthless and nobody would know why.
# The build type of another project is that project's.
get_property(PAWL_MULTI_CONFIG GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(PROJECT_IS_TOP_LEVEL AND NOT PAWL_MULTI_CONFIG AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(NOT CMAKE_CXX_STANDARD OR CMAKE_CXX_STANDARD LESS 20 OR CMAKE_CXX_STANDARD EQUAL 98)
  set(CMAKE_CXX_STANDARD 20)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# Every executable in one folder, so that `pawl run` finds the benches beside itself.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endif()

# ccache serves no file that comes with a precompiled header unless it is told to be sloppy, and it saves more than they.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
