# pawl_warnings(<target>): the warnings of our own code; with PAWL_WERROR they are errors.
function(pawl_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    # Designated initialisers leave the other members at their defaults on purpose.
    -Wno-missing-field-initializers
    # g++ 12 reports an impossible overlap inside std::string's operator+ (GCC bug 105651).
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    $<$<BOOL:${PAWL_WERROR}>:-Werror>)
endfunction()
