# pawl_add_peer(<bench> <name> SOURCES <files> TARGETS <imported targets>): another library's rows in a bench of ours.
#
# PAWL_PEERS=AUTO takes the peers that are installed, ON demands all of them, OFF takes none. Peers are compiled as their
# users compile: -O3 for this machine's CPU, while our kernels choose their variant when they run.
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-march=native PAWL_HAS_MARCH_NATIVE)

function(pawl_add_peer bench name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;TARGETS")
  if(PAWL_PEERS STREQUAL "OFF")
    return()
  endif()
  foreach(target IN LISTS arg_TARGETS)
    if(NOT TARGET ${target})
      if(PAWL_PEERS STREQUAL "ON")
        message(FATAL_ERROR "peer ${name} of ${bench} is missing (${target}); tools/setup.sh --peers installs it, "
          "PAWL_PEERS=AUTO goes without")
      endif()
      message(STATUS "${bench}: without ${name} (tools/setup.sh --peers installs it)")
      return()
    endif()
  endforeach()
  set(objects ${bench}_${name})
  add_library(${objects} OBJECT ${arg_SOURCES})
  target_link_libraries(${objects} PRIVATE pawl_bench_main ${arg_TARGETS})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${objects} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>
    $<$<BOOL:${PAWL_HAS_MARCH_NATIVE}>:-march=native> -Wall -Wextra
    # g++ 12 reports false uninitialised values inside immintrin.h.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
  target_link_libraries(${bench} PRIVATE ${objects} ${arg_TARGETS})
  target_sources(${bench} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()
