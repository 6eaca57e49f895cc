# pawl_add_isa_sources(<target> <file.isa.cpp>...): compiles each file once per ISA, into that ISA's namespace.
#
# Why one translation unit per ISA and not target attributes, and what goes wrong otherwise: docs/dispatch.md.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(PAWL_ISAS scalar sse2 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(PAWL_ISAS scalar neon)
else()
  set(PAWL_ISAS scalar)
endif()

# `scalar` has the vectorizers off, or "SIMD against scalar" would compare two vectorized loops.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(PAWL_FLAGS_scalar -fno-vectorize -fno-slp-vectorize)
else()
  set(PAWL_FLAGS_scalar -fno-tree-vectorize)
endif()
set(PAWL_FLAGS_neon "")
set(PAWL_FLAGS_sse2 -msse2)
set(PAWL_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2)
set(PAWL_FLAGS_avx512 ${PAWL_FLAGS_avx2} -mavx512f -mavx512cd -mavx512dq -mavx512bw -mavx512vl
    $<$<CXX_COMPILER_ID:GNU>:-mprefer-vector-width=512>)
# -O2 in every build: Debug, since part of xsimd 8.1's AVX-512 code does not compile with g++ -O0; Release, since kernels are
# vectorized by hand and what -O3 adds (the SLP vectorizer above all) took g++ 12 four times as long over a register tile.
# -ffp-contract=off: an FMA happens where the kernel says fma, on every compiler and ISA.
set(PAWL_FLAGS_every -O2 -fno-tree-slp-vectorize -ffp-contract=off -fno-math-errno -fno-exceptions -fvisibility=hidden
    # g++ 12 reports false uninitialised values inside immintrin.h.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized>)
# g++ 12 took five minutes over the short transforms of one variant, almost all of it over the scopes of the temporaries
# of inlined functions, which kernels never take the address of, and over null checks of references; this way 25 s. A null
# pointer that is read or written still stops the program.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  list(APPEND PAWL_FLAGS_every -O1 -fno-sanitize-address-use-after-scope -fno-sanitize=null
    $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking> $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking-assignments>)
endif()

function(pawl_add_isa_sources target)
  foreach(isa IN LISTS PAWL_ISAS)
    set(objects ${target}_${isa})
    if(NOT TARGET ${objects})
      add_library(${objects} OBJECT)
      target_compile_definitions(${objects} PRIVATE PAWL_ISA_NS=${isa} PAWL_ISA_IS_${isa}=1)
      target_compile_options(${objects} PRIVATE ${PAWL_FLAGS_every} ${PAWL_FLAGS_${isa}})
      target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
      set_target_properties(${objects} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
      if(TARGET xsimd)
        # The definition gives xsimd's own untagged inline functions a different name per ISA.
        target_compile_definitions(${objects} PRIVATE xsimd=xsimd_${isa})
        target_link_libraries(${objects} PRIVATE xsimd)
      endif()
      pawl_warnings(${objects})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
      if(PAWL_TESTS)
        add_test(NAME hermetic.${objects} COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D ISA=${isa}
          -D "OBJECTS=$<FILTER:$<TARGET_OBJECTS:${objects}>,EXCLUDE,[.][gp]ch$>" -P ${PROJECT_SOURCE_DIR}/tests/hermetic_test.cmake)
      endif()
    endif()
    target_sources(${objects} PRIVATE ${ARGN})
  endforeach()
endfunction()
