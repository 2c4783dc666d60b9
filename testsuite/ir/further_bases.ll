; REMARK-COUNT-1: remark:
;--- composite_canonical.ll
; A loop that is dealt to teams and threads; its twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; REMARK: instrumented static loop, dist_schedule(static,10): with a copy of the loop that reports each chunk

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
;--- counted_marked.ll
; OpenMPIRBuilder's loop over chunks, whose ident says since LLVM 23 that it is a worksharing loop (flag 512).
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-2: call void @use(
; REMARK: instrumented static loop, schedule(static,10)

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@text = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@ident = private unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @text }, align 8

define void @f(i32 %gtid, i32 %trips) {
entry:
  %last = alloca i32, align 4
  %lower = alloca i32, align 4
  %upper = alloca i32, align 4
  %stride = alloca i32, align 4
  store i32 0, ptr %lower, align 4
  %end = sub i32 %trips, 1
  store i32 %end, ptr %upper, align 4
  store i32 1, ptr %stride, align 4
  call void @__kmpc_for_static_init_4u(ptr @ident, i32 %gtid, i32 33, ptr %last, ptr %lower, ptr %upper, ptr %stride, i32 1, i32 10)
  %first = load i32, ptr %lower, align 4
  %to = load i32, ptr %upper, align 4
  %behind = add i32 %to, 1
  %range = sub i32 %behind, %first
  %step = load i32, ptr %stride, align 4
  %left = sub nuw i32 %trips, %first
  %none = icmp ule i32 %trips, %first
  %before = sub i32 %left, 1
  %whole = udiv i32 %before, %step
  %several = add i32 %whole, 1
  %is.one = icmp ule i32 %left, %step
  %some = select i1 %is.one, i32 1, i32 %several
  %chunks = select i1 %none, i32 0, i32 %some
  br label %chunk.header

chunk.header:
  %chunk = phi i32 [ 0, %entry ], [ %chunk.next, %chunk.latch ]
  %more = icmp ult i32 %chunk, %chunks
  br i1 %more, label %chunk.body, label %done

chunk.body:
  %scaled = mul i32 %chunk, %step
  %start = add i32 %scaled, %first
  %reach = add i32 %start, %range
  %beyond = icmp uge i32 %reach, %trips
  %rest = sub i32 %trips, %start
  %count = select i1 %beyond, i32 %rest, i32 %range
  br label %header

header:
  %number = phi i32 [ 0, %chunk.body ], [ %next, %body ]
  %inside = icmp ult i32 %number, %count
  br i1 %inside, label %body, label %chunk.latch

body:
  %iteration = add i32 %number, %start
  call void @use(i32 %iteration)
  %next = add nuw i32 %number, 1
  br label %header

chunk.latch:
  %chunk.next = add nuw i32 %chunk, 1
  br label %chunk.header

done:
  call void @__kmpc_for_static_fini(ptr @ident, i32 %gtid)
  ret void
}

declare void @use(i32)
declare void @__kmpc_for_static_init_4u(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
;--- dist_fini.ll
; A loop that is dealt to teams and threads at once, with the end call of its own that is proposed for LLVM 24. Twins called
; reject/canonical_ start and end as other loops do.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-1: call void @__kmpc_dist_for_static_fini(
; REMARK: instrumented static loop, schedule(static): one chunk per thread

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }
%struct.anon = type { ptr, ptr }
%struct.anon.0 = type { i32 }

@0 = hidden unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 2, i32 0, i32 22, ptr @0 }, align 8
@2 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 66, i32 0, i32 22, ptr @0 }, align 8

define dso_local void @f(i32 noundef %n) {
entry:
  %n.addr = alloca i32, align 4
  %i = alloca i32, align 4
  %agg.captured = alloca %struct.anon, align 8
  %agg.captured1 = alloca %struct.anon.0, align 4
  %.count.addr = alloca i32, align 4
  %p.lastiter = alloca i32, align 4
  %p.lowerbound = alloca i32, align 4
  %p.upperbound = alloca i32, align 4
  %p.stride = alloca i32, align 4
  %p.distupperbound = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  store i32 0, ptr %i, align 4
  %0 = getelementptr inbounds %struct.anon, ptr %agg.captured, i32 0, i32 0
  store ptr %i, ptr %0, align 8
  %1 = getelementptr inbounds %struct.anon, ptr %agg.captured, i32 0, i32 1
  store ptr %n.addr, ptr %1, align 8
  %2 = getelementptr inbounds %struct.anon.0, ptr %agg.captured1, i32 0, i32 0
  %3 = load i32, ptr %i, align 4
  store i32 %3, ptr %2, align 4
  call void @__captured_stmt(ptr %.count.addr, ptr %agg.captured)
  %.count = load i32, ptr %.count.addr, align 4
  br label %omp_loop.preheader

omp_loop.preheader:
  store i32 0, ptr %p.lowerbound, align 4
  %4 = sub i32 %.count, 1
  store i32 %4, ptr %p.upperbound, align 4
  store i32 1, ptr %p.stride, align 4
  %omp_global_thread_num = call i32 @__kmpc_global_thread_num(ptr @1)
  call void @__kmpc_dist_for_static_init_4u(ptr @1, i32 %omp_global_thread_num, i32 34, ptr %p.lastiter, ptr %p.lowerbound, ptr %p.upperbound, ptr %p.distupperbound, ptr %p.stride, i32 1, i32 0)
  %5 = load i32, ptr %p.lowerbound, align 4
  %6 = load i32, ptr %p.upperbound, align 4
  %7 = sub i32 %6, %5
  %8 = add i32 %7, 1
  br label %omp_loop.header

omp_loop.header:
  %omp_loop.iv = phi i32 [ 0, %omp_loop.preheader ], [ %omp_loop.next, %omp_loop.inc ]
  br label %omp_loop.cond

omp_loop.cond:
  %omp_loop.cmp = icmp ult i32 %omp_loop.iv, %8
  br i1 %omp_loop.cmp, label %omp_loop.body, label %omp_loop.exit

omp_loop.body:
  %9 = add i32 %omp_loop.iv, %5
  call void @__captured_stmt.1(ptr %i, i32 %9, ptr %agg.captured1)
  %10 = load i32, ptr %i, align 4
  call void @use(i32 noundef %10)
  br label %omp_loop.inc

omp_loop.inc:
  %omp_loop.next = add nuw i32 %omp_loop.iv, 1
  br label %omp_loop.header

omp_loop.exit:
  call void @__kmpc_dist_for_static_fini(ptr @1, i32 %omp_global_thread_num)
  %omp_global_thread_num2 = call i32 @__kmpc_global_thread_num(ptr @1)
  call void @__kmpc_barrier(ptr @2, i32 %omp_global_thread_num2)
  br label %omp_loop.after

omp_loop.after:
  ret void
}

declare hidden void @__captured_stmt(ptr noundef nonnull align 4 dereferenceable(4), ptr noalias noundef)

declare hidden void @__captured_stmt.1(ptr noundef nonnull align 4 dereferenceable(4), i32 noundef, ptr noalias noundef)

declare void @use(i32 noundef)

declare void @__kmpc_dist_for_static_init_4u(ptr, i32, i32, ptr, ptr, ptr, ptr, ptr, i32, i32)

declare void @__kmpc_dist_for_static_fini(ptr, i32)

declare i32 @__kmpc_global_thread_num(ptr)

declare void @__kmpc_barrier(ptr, i32)
;--- range_canonical.ll
; A loop with one chunk per thread; its twins in reject/ and fixed/ each break one thing, of the loop or of the way to its end.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=function(instnamer),ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK: call void %{{[^@(]*}}(ptr {{.*}}@ompchunk.ident
; REMARK: instrumented static loop, schedule(static): one chunk per thread; its schedule can be changed at run time

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
