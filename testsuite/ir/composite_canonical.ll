; A loop that is dealt to teams and threads; its twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; REMARK: instrumented static loop, dist_schedule(static,10): with a copy of the loop that reports each chunk
; REMARK-COUNT-1: remark:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@0 = hidden unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 2050, i32 0, i32 22, ptr @0 }, align 8
@2 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 2, i32 0, i32 22, ptr @0 }, align 8
@3 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }, align 8

define dso_local void @f(i32 noundef %n) {
entry:
  %n.addr = alloca i32, align 4
  %.omp.iv = alloca i32, align 4
  %tmp = alloca i32, align 4
  %.capture_expr. = alloca i32, align 4
  %.capture_expr.1 = alloca i32, align 4
  %i = alloca i32, align 4
  %.omp.comb.lb = alloca i32, align 4
  %.omp.comb.ub = alloca i32, align 4
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
  store i32 0, ptr %.omp.comb.lb, align 4
  %4 = load i32, ptr %.capture_expr.1, align 4
  store i32 %4, ptr %.omp.comb.ub, align 4
  store i32 1, ptr %.omp.stride, align 4
  store i32 0, ptr %.omp.is_last, align 4
  call void @__kmpc_for_static_init_4(ptr @1, i32 %0, i32 91, ptr %.omp.is_last, ptr %.omp.comb.lb, ptr %.omp.comb.ub, ptr %.omp.stride, i32 1, i32 10)
  %5 = load i32, ptr %.omp.comb.ub, align 4
  %6 = load i32, ptr %.capture_expr.1, align 4
  %cmp4 = icmp sgt i32 %5, %6
  br i1 %cmp4, label %cond.true, label %cond.false

cond.true:
  %7 = load i32, ptr %.capture_expr.1, align 4
  br label %cond.end

cond.false:
  %8 = load i32, ptr %.omp.comb.ub, align 4
  br label %cond.end

cond.end:
  %cond = phi i32 [ %7, %cond.true ], [ %8, %cond.false ]
  store i32 %cond, ptr %.omp.comb.ub, align 4
  %9 = load i32, ptr %.omp.comb.lb, align 4
  store i32 %9, ptr %.omp.iv, align 4
  br label %omp.inner.for.cond

omp.inner.for.cond:
  %10 = load i32, ptr %.omp.iv, align 4
  %11 = load i32, ptr %.capture_expr.1, align 4
  %add = add nsw i32 %11, 1
  %cmp5 = icmp slt i32 %10, %add
  br i1 %cmp5, label %omp.inner.for.body, label %omp.inner.for.end

omp.inner.for.body:
  %12 = load i32, ptr %.omp.comb.lb, align 4
  %13 = zext i32 %12 to i64
  %14 = load i32, ptr %.omp.comb.ub, align 4
  %15 = zext i32 %14 to i64
  call void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr @2, i32 3, ptr @f.omp_outlined, i64 %13, i64 %15, ptr %n.addr)
  br label %omp.inner.for.inc

omp.inner.for.inc:
  %16 = load i32, ptr %.omp.iv, align 4
  %17 = load i32, ptr %.omp.stride, align 4
  %add6 = add nsw i32 %16, %17
  store i32 %add6, ptr %.omp.iv, align 4
  %18 = load i32, ptr %.omp.comb.lb, align 4
  %19 = load i32, ptr %.omp.stride, align 4
  %add7 = add nsw i32 %18, %19
  store i32 %add7, ptr %.omp.comb.lb, align 4
  %20 = load i32, ptr %.omp.comb.ub, align 4
  %21 = load i32, ptr %.omp.stride, align 4
  %add8 = add nsw i32 %20, %21
  store i32 %add8, ptr %.omp.comb.ub, align 4
  %22 = load i32, ptr %.omp.comb.ub, align 4
  %23 = load i32, ptr %.capture_expr.1, align 4
  %cmp9 = icmp sgt i32 %22, %23
  br i1 %cmp9, label %cond.true10, label %cond.false11

cond.true10:
  %24 = load i32, ptr %.capture_expr.1, align 4
  br label %cond.end12

cond.false11:
  %25 = load i32, ptr %.omp.comb.ub, align 4
  br label %cond.end12

cond.end12:
  %cond13 = phi i32 [ %24, %cond.true10 ], [ %25, %cond.false11 ]
  store i32 %cond13, ptr %.omp.comb.ub, align 4
  %26 = load i32, ptr %.omp.comb.lb, align 4
  store i32 %26, ptr %.omp.iv, align 4
  br label %omp.inner.for.cond

omp.inner.for.end:
  br label %omp.loop.exit

omp.loop.exit:
  call void @__kmpc_for_static_fini(ptr @1, i32 %0)
  br label %omp.precond.end

omp.precond.end:
  ret void
}

declare i32 @__kmpc_global_thread_num(ptr)

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)

declare hidden void @f.omp_outlined(ptr noalias noundef, ptr noalias noundef, i64 noundef, i64 noundef, ptr noundef nonnull align 4 dereferenceable(4))

declare void @__kmpc_for_static_fini(ptr, i32)

declare void @__kmpc_fork_call(ptr, i32, ptr, ...)
