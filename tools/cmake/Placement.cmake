# pawl_place_by_lines(<target>...): every function begins at a cache line, so that an edit of one does not move another
# within its line. Without it one more call in dot() made active_isa(), which had not changed, 1.35 to 2.25 ns: its 20
# bytes lay in two lines then. (Linux has CONFIG_DEBUG_FORCE_FUNCTION_ALIGN_64B for the same end.) Kernels of an ISA are
# left as they are: they are compiled apart, and their loops take longer than a jump into them.
function(pawl_place_by_lines)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-falign-functions=64>)
  endforeach()
endfunction()
