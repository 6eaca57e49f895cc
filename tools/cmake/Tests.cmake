# pawl_add_test(<name> SOURCES <files> [LIBS <targets>] [HEADERS <target>]): a GoogleTest executable whose cases ctest
# knows one by one. HEADERS names the target whose precompiled headers it takes (default: test_headers), and the level of
# optimisation with them.
if(PAWL_TESTS)
  enable_testing()
  include(GoogleTest)
endif()

function(pawl_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADERS" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest GTest::gmock_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE PAWL_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  pawl_warnings(${name})
  if(NOT arg_HEADERS)
    set(arg_HEADERS test_headers)
  endif()
  target_precompile_headers(${name} REUSE_FROM ${arg_HEADERS})
  get_target_property(level ${arg_HEADERS} PAWL_LEVEL)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${level}>)
  # PRE_TEST: names are read when ctest starts, so that a cross build needs no emulator to build.
  gtest_discover_tests(${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST 
    PROPERTIES TIMEOUT 600)
endfunction()

# pawl_test_headers(<name> HEADERS <headers> [LIBS <targets>] [LEVEL <-O0>]): headers that tests include, parsed once; in
# an executable, since the code of a library may be of another kind (position-independence), which a compiler refuses to
# mix. LEVEL (default: -O1): tests are half of the code and do little themselves, so that more is time lost. Those that
# loop over elements take longer to run at -O0 than they save; those of the tool do not.
function(pawl_test_headers name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LEVEL" "HEADERS;LIBS")
  if(NOT arg_LEVEL)
    set(arg_LEVEL -O1)
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "int main() { return 0; }\n")
  add_executable(${name} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE ${arg_LIBS} GTest::gmock GTest::gtest)
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  pawl_warnings(${name})
  set_target_properties(${name} PROPERTIES PAWL_LEVEL ${arg_LEVEL})
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${arg_LEVEL}>)
endfunction()

# pawl_add_old_cpu_test(<test executable>... [WITHOUT <test>] [ALL_TYPES]): runs it whole on an emulated CPU without AVX,
# where a wide instruction that slipped into baseline code dies with SIGILL. Skipped with a word where qemu-user is missing
# or sanitizers are on. Of a suite of several types the first only, unless ALL_TYPES: the types of a kernel are compiled
# with the same flags in the same file, and emulated tests were half of the suite's time. WITHOUT: what the emulator itself
# cannot do, or takes seconds over though others run its code.
find_program(PAWL_QEMU_X86_64 qemu-x86_64)
function(pawl_add_old_cpu_test)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    return()
  endif()
  if(NOT PAWL_QEMU_X86_64)
    message(STATUS "qemu-x86_64 not found: no test of the dispatch on a CPU without AVX (apt-get install qemu-user)")
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 0 old "ALL_TYPES" "WITHOUT" "")
  if(NOT old_ALL_TYPES)
    string(PREPEND old_WITHOUT "*/1.*:*/2.*:*/3.*:")
  endif()
  foreach(test IN LISTS old_UNPARSED_ARGUMENTS)
    add_test(NAME nehalem.${test} COMMAND ${PAWL_QEMU_X86_64} -cpu Nehalem $<TARGET_FILE:${test}> --gtest_brief=1
      --gtest_filter=-${old_WITHOUT})
    # The longest tests by far: first, or one of them is left alone at the end.
    set_tests_properties(nehalem.${test} PROPERTIES TIMEOUT 600 COST 1000)
  endforeach()
endfunction()
