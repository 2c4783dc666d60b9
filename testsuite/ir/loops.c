//--- collapse.c
// A collapsed nest is one loop of 64 bits; a user start and step cannot be told.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 64, i32 141575, i32 33, i32 10, i32 0, i32 0, {{.*}} section "ompchunk_loops"
// CHECK: load atomic ptr, ptr getelementptr {{.*}}@__ompchunk_module_v4, i64 160)
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// REMARK-COUNT-1: instrumented

void use(int, int);
void f(int n, int m) {
#pragma omp parallel for collapse(2) schedule(static, 10)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) use(i, j);
}
//--- counted_lines.c
// What gcov counts are the user's own blocks: one loop, without a copy and without a branch of ours.
// RUN: %clang -O1 -Xclang -disable-llvm-passes --coverage -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-3: call void @use(
// CHECK-COUNT-2: call void @.ompchunk.ask(
// CHECK-COUNT-2: call void @.ompchunk.chunk(
// CHECK-COUNT-2: call void @.ompchunk.leave(
// CHECK-COUNT-2: call void @.ompchunk.tell
// REMARK: with a test per chunk in the loop itself (compiled for coverage)
// REMARK-COUNT-3: instrumented

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
#pragma omp parallel for
  for (int i = 0; i < n; i++) use(i);
}
void g(int n) {
#pragma omp task
  use(n);
}
//--- distribute.c
// Loops dealt to teams: chunked with a copy, unchunked, and combined with a worksharing loop, which the
// compiler puts into a function of its own.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: g.omp_outlined h.omp_outlined.omp_outlined
// LIKE: chunked
// CHECK: i8 2, i8 32, i32 31, i32 91, i32 4, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// CHECK: i8 2, i8 32, i32 {{[0-9]+}}, i32 92, i32 0, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-6: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// CHECK-COUNT-2: call void @one(
// CHECK-COUNT-1: call void @two(
// CHECK-COUNT-2: call void @three(
// CHECK-COUNT-2: call void @four(
// REMARK-COUNT-6: instrumented
// REMARK-COUNT-6: remark:

void one(int), two(int), three(int), four(int);
void f(int n) {
#pragma omp teams distribute dist_schedule(static, 4)
  for (int i = 0; i < n; i++) one(i);
}
void g(int n) {
#pragma omp teams distribute
  for (int i = 0; i < n; i++) two(i);
}
void h(int n) {
#pragma omp teams distribute parallel for schedule(static, 10)
  for (int i = 0; i < n; i++) three(i);
}
void k(int n) {
#pragma omp teams distribute parallel for schedule(static, 1)
  for (int i = 0; i < n; i++) four(i);
}
//--- divisible.c
// Which loops give the same results in sub-blocks: 2048 in the flags; or may not: 4096. A module that has operations which may be
// reordered anywhere is asked of each call that leads out of it.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -S
// SNAPSHOT: wanted.omp_outlined
// LIKE: unchunked
// CHECK: i8 1, i8 32, i32 141593, i32 34, {{.*}} @ompchunk.text, i64 8) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 143641, i32 34, {{.*}} @ompchunk.text, i64 16) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 141593, i32 34, {{.*}} @ompchunk.text, i64 26) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 143641, i32 34, {{.*}} @ompchunk.text, i64 33) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 143641, i32 34, {{.*}} @ompchunk.text, i64 39) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 144665, i32 34, {{.*}} @ompchunk.text, i64 46) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 142617, i32 34, {{.*}} @ompchunk.text, i64 53) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 144671, i32 33, {{.*}} @ompchunk.text, i64 62) {{.*}} section "ompchunk_loops"
// CHECK: i8 1, i8 32, i32 8607, i32 1073741859, {{.*}} @ompchunk.text, i64 69) {{.*}} section "ompchunk_loops"
// CHECK-COUNT-1: c"strict\00\00reordered\00inside\00below\00beyond\00wanted\00integers\00chunks\00dealt\00
double outside(double);
static double same(double x) { return x * x + 1; }
static double other(double x) {
#pragma clang fp reassociate(on)
  return x * x + 1 + x;
}
static double calls_other(double x) { return other(x) + 1; }
static double calls_out(double x) { return outside(x); }

double strict(int n, const double *a) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * 2;
  return sum;
}
double reordered(int n, const double *a) {
#pragma clang fp reassociate(on)
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; i++) sum += a[i] * 2;
  return sum;
}
void inside(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = same(a[i]);
}
void below(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = calls_other(a[i]);
}
void beyond(int n, double *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = calls_out(a[i]);
}
void wanted(int n, double *a) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) a[i] += 1;
}
void integers(int n, int *a) {
#pragma omp parallel for simd
  for (int i = 0; i < n; i++) a[i] += 1;
}
void chunks(int n, double *a) {
#pragma omp parallel for simd schedule(static, 64)
  for (int i = 0; i < n; i++) a[i] += 1;
}
void dealt(int n, double *a) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; i++) a[i] += 1;
}
//--- long.c
// The entry point 8.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// LIKE: chunked
// CHECK: i8 1, i8 64, i32 141599, i32 33, i32 10, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// CHECK: load atomic ptr, ptr getelementptr {{.*}}@__ompchunk_module_v4, i64 160)
// CHECK-COUNT-2: call void @use(
// REMARK-COUNT-1: remark:

void use(long);
void f(long n) {
#pragma omp parallel for schedule(static, 10)
  for (long i = 0; i < n; i++) use(i);
}
//--- modifiers.c
// Modifier bits do not change the form, and the record keeps them.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i32 536870945, i32 4, {{.*}} section "ompchunk_loops"
// CHECK: i32 1073741857, i32 4, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-4: call void @use(
// REMARK: instrumented static loop, schedule(monotonic:static,4)
// REMARK: instrumented static loop, schedule(nonmonotonic:static,4)

void use(int);
void f(int n) {
#pragma omp for schedule(monotonic : static, 4)
  for (int i = 0; i < n; i++) use(i);
}
void g(int n) {
#pragma omp for schedule(nonmonotonic : static, 4)
  for (int i = 0; i < n; i++) use(i);
}
//--- orphaned.c
// A loop in a function of its own, with its value names discarded as in ordinary builds.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fdiscard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n) {
#pragma omp for schedule(static, 10)
  for (int i = 0; i < n; i++) use(i);
}
//--- pointers.c
// Loops over pointers: 64 bits, and neither start nor step is said, since nothing in a record could
// tell of an address.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 64, i32 133383, i32 33, i32 4, i32 0, i32 0, {{.*}} section "ompchunk_loops"
// CHECK: i8 64, i32 133383, i32 33, i32 4, i32 0, i32 0, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-2: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-2: instrumented

void use(long *);
void up(long *first, long n) {
#pragma omp for schedule(static, 4)
  for (long *p = first; p < first + n; p++) use(p);
}
void down(long *first, long n) {
#pragma omp for schedule(static, 4)
  for (long *p = first + n - 1; p >= first; p -= 2) use(p);
}
//--- simd.c
// The combined construct with simd; with if, its body has two inner loops.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK-COUNT-4: call void @use(
// CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-1: instrumented

void use(int);
void f(int n, int v) {
#pragma omp parallel
#pragma omp for simd schedule(static, 10) if (v)
  for (int i = 0; i < n; i++) use(i);
}
//--- start_and_step.c
// The record knows the user's start and step where they are constants; run-time values are passed to
// enter.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: variable
// LIKE: chunked
// CHECK: i32 133407, i32 33, i32 10, i32 100, i32 3, {{.*}} section "ompchunk_loops"
// CHECK: i32 133430, i32 33, i32 10, i32 0, i32 -3, {{.*}} section "ompchunk_loops"
// CHECK: i32 133478, i32 33, i32 10, i32 0, i32 0, {{.*}} section "ompchunk_loops"
// CHECK: define dso_local void @down(
// CHECK: getelementptr {{.*}}i8, ptr %{{.*}}, i64 88
// CHECK: define dso_local void @variable(
// CHECK: getelementptr {{.*}}i8, ptr %{{.*}}, i64 72
// CHECK-COUNT-3: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
// REMARK-COUNT-3: instrumented

void use(int);
void up(void) {
#pragma omp for schedule(static, 10)
  for (int i = 100; i < 200; i += 3) use(i);
}
void down(int n) {
#pragma omp for schedule(static, 10)
  for (int i = n; i > 0; i -= 3) use(i);
}
void variable(int lo, int n, int s) {
#pragma omp for schedule(static, 10)
  for (int i = lo; i < n; i += s) use(i);
}
//--- unchunked.c
// Without a chunk size there is no loop over chunks: one guarded call, no copy.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// CHECK-COUNT-1: call void @use(
// CHECK: i32 34, i32 0, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// REMARK: instrumented static loop, schedule(static)
// REMARK-COUNT-1: remark:

void use(int);
void f(int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) use(i);
}
//--- unsigned.c
// The entry point 4u.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// SNAPSHOT: f.omp_outlined
// LIKE: chunked
// CHECK: i8 1, i8 32, i32 141598, i32 33, i32 10, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// CHECK: load atomic ptr, ptr getelementptr {{.*}}@__ompchunk_module_v4, i64 152)
// CHECK: zext i32 {{.*}} to i64
// CHECK-COUNT-2: call void @use(
// REMARK-COUNT-1: remark:

void use(unsigned);
void f(unsigned n) {
#pragma omp parallel for schedule(static, 10)
  for (unsigned i = 0; i < n; i++) use(i);
}
//--- unsigned_long.c
// The entry point 8u.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i8 1, i8 64, i32 141598, i32 33, i32 10, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// CHECK: load atomic ptr, ptr getelementptr {{.*}}@__ompchunk_module_v4, i64 168)
// CHECK-COUNT-2: call void @use(
// REMARK-COUNT-1: remark:

void use(unsigned long);
void f(unsigned long n) {
#pragma omp parallel for schedule(static, 10)
  for (unsigned long i = 0; i < n; i++) use(i);
}
//--- variable_chunk.c
// A chunk size that only the program knows.
// RUN: %clang -O1 -Xclang -disable-llvm-passes -fno-discard-value-names -fopenmp -S -emit-llvm %s -o - | %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S
// CHECK: i32 141595, i32 33, i32 0, i32 0, i32 1, {{.*}} section "ompchunk_loops"
// CHECK-COUNT-2: call void @use(
// CHECK-COUNT-1: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
// CHECK-COUNT-1: call void @__kmpc_for_static_fini(
// REMARK: instrumented static loop, schedule(static,c)

void use(int);
void f(int n, int c) {
#pragma omp parallel for schedule(static, c)
  for (int i = 0; i < n; i++) use(i);
}
