# pawl_warnings(<target>): the warnings of our own code; with PAWL_WERROR they are errors.
function(pawl_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    $<$<BOOL:${PAWL_WERROR}>:-Werror>)
endfunction()
