// What runtimes to come are proposed to have, made of what today's have.
void __kmpc_for_static_fini(void *location, int thread);

// llvm-project's pull request 133323.
void __kmpc_dist_for_static_fini(void *location, int thread) { __kmpc_for_static_fini(location, thread); }
