; A loop with one chunk per thread; its twins in reject/ and fixed/ each break one thing, of the loop or of the way to its end.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK: call void %{{.*}}(ptr %{{.*}}, ptr undef,
; REMARK: instrumented static loop, schedule(static): one chunk per thread; its schedule can be changed at run time
; REMARK-COUNT-1: remark:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@0 = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = private unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }, align 8
@2 = private unnamed_addr constant %struct.ident_t { i32 0, i32 2, i32 0, i32 22, ptr @0 }, align 8
@3 = private unnamed_addr constant %struct.ident_t { i32 0, i32 66, i32 0, i32 22, ptr @0 }, align 8

define dso_local void @f(i32 noundef %n) {
entry:
  %n.addr = alloca i32, align 4
  %.omp.iv = alloca i32, align 4
  %tmp = alloca i32, align 4
  %.capture_expr. = alloca i32, align 4
  %.capture_expr.1 = alloca i32, align 4
  %i = alloca i32, align 4
  %.omp.lb = alloca i32, align 4
  %.omp.ub = alloca i32, align 4
  %.omp.stride = alloca i32, align 4
  %.omp.is_last = alloca i32, align 4
  %i3 = alloca i32, align 4
  %0 = call i32 @__kmpc_global_thread_num(ptr @2)
  store i32 %n, ptr %n.addr, align 4
  %1 = load i32, ptr %n.addr, align 4
  store i32 %1, ptr %.capture_expr., align 4
  %2 = load i32, ptr %.capture_expr., align 4
  %sub = sub nsw i32 %2, 0
  %div = sdiv i32 %sub, 1
  %sub2 = sub nsw i32 %div, 1
  store i32 %sub2, ptr %.capture_expr.1, align 4
  store i32 0, ptr %i, align 4
  %3 = load i32, ptr %.capture_expr., align 4
  %cmp = icmp slt i32 0, %3
  br i1 %cmp, label %omp.precond.then, label %omp.precond.end

omp.precond.then:
  store i32 0, ptr %.omp.lb, align 4
  %4 = load i32, ptr %.capture_expr.1, align 4
  store i32 %4, ptr %.omp.ub, align 4
  store i32 1, ptr %.omp.stride, align 4
  store i32 0, ptr %.omp.is_last, align 4
  call void @__kmpc_for_static_init_4(ptr @1, i32 %0, i32 34, ptr %.omp.is_last, ptr %.omp.lb, ptr %.omp.ub, ptr %.omp.stride, i32 1, i32 1)
  %5 = load i32, ptr %.omp.ub, align 4
  %6 = load i32, ptr %.capture_expr.1, align 4
  %cmp4 = icmp sgt i32 %5, %6
  br i1 %cmp4, label %cond.true, label %cond.false

cond.true:
  %7 = load i32, ptr %.capture_expr.1, align 4
  br label %cond.end

cond.false:
  %8 = load i32, ptr %.omp.ub, align 4
  br label %cond.end

cond.end:
  %cond = phi i32 [ %7, %cond.true ], [ %8, %cond.false ]
  store i32 %cond, ptr %.omp.ub, align 4
  %9 = load i32, ptr %.omp.lb, align 4
  store i32 %9, ptr %.omp.iv, align 4
  br label %omp.inner.for.cond

omp.inner.for.cond:
  %10 = load i32, ptr %.omp.iv, align 4
  %11 = load i32, ptr %.omp.ub, align 4
  %cmp5 = icmp sle i32 %10, %11
  br i1 %cmp5, label %omp.inner.for.body, label %omp.inner.for.end

omp.inner.for.body:
  %12 = load i32, ptr %.omp.iv, align 4
  %mul = mul nsw i32 %12, 1
  %add = add nsw i32 0, %mul
  store i32 %add, ptr %i3, align 4
  %13 = load i32, ptr %i3, align 4
  call void @use(i32 noundef %13)
  br label %omp.body.continue

omp.body.continue:
  br label %omp.inner.for.inc

omp.inner.for.inc:
  %14 = load i32, ptr %.omp.iv, align 4
  %add6 = add nsw i32 %14, 1
  store i32 %add6, ptr %.omp.iv, align 4
  br label %omp.inner.for.cond

omp.inner.for.end:
  br label %omp.loop.exit

omp.loop.exit:
  call void @__kmpc_for_static_fini(ptr @1, i32 %0)
  br label %omp.precond.end

omp.precond.end:
  call void @__kmpc_barrier(ptr @3, i32 %0)
  ret void
}

declare i32 @__kmpc_global_thread_num(ptr)

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)

declare void @use(i32 noundef)

declare void @__kmpc_for_static_fini(ptr, i32)

declare void @__kmpc_barrier(ptr, i32)
