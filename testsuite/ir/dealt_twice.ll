; flang deals a distribute parallel do that has a chunk size in dist_schedule twice, to the threads and to the teams. It
; is one loop, which begins at the first call; its bounds are final after the second. Twins called
; reject/canonical_ leave the second out: other loops of chunks look like what remains.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; TWIN: change.rs COMBINED
; CHECK-NOT: call void @__kmpc_dispatch_init
; CHECK-COUNT-2: call void @use(
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-2: call void @__kmpc_for_static_init_4u(
; REMARK: instrumented static loop, dist_schedule(static,100)
; REMARK: its schedule is fixed: it deals to teams and threads at once
; REMARK-COUNT-1: remark:

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
  call void @__kmpc_for_static_init_4u(ptr @1, i32 %omp_global_thread_num, i32 33, ptr %p.lastiter, ptr %p.lowerbound, ptr %p.upperbound, ptr %p.stride, i32 1, i32 10)
  call void @__kmpc_for_static_init_4u(ptr @1, i32 %omp_global_thread_num, i32 91, ptr %p.lastiter, ptr %p.lowerbound, ptr %p.upperbound, ptr %p.stride, i32 1, i32 100)
  %omp_firstchunk.lb = load i32, ptr %p.lowerbound, align 4
  %omp_firstchunk.ub = load i32, ptr %p.upperbound, align 4
  %5 = add i32 %omp_firstchunk.ub, 1
  %omp_chunk.range = sub i32 %5, %omp_firstchunk.lb
  %omp_dispatch.stride = load i32, ptr %p.stride, align 4
  %6 = sub nuw i32 %.count, %omp_firstchunk.lb
  %7 = icmp ule i32 %.count, %omp_firstchunk.lb
  %8 = sub i32 %6, 1
  %9 = udiv i32 %8, %omp_dispatch.stride
  %10 = add i32 %9, 1
  %11 = icmp ule i32 %6, %omp_dispatch.stride
  %12 = select i1 %11, i32 1, i32 %10
  %omp_dispatch.tripcount = select i1 %7, i32 0, i32 %12
  br label %omp_dispatch.preheader

omp_dispatch.preheader:
  br label %omp_dispatch.header

omp_dispatch.header:
  %omp_dispatch.iv = phi i32 [ 0, %omp_dispatch.preheader ], [ %omp_dispatch.next, %omp_dispatch.inc ]
  br label %omp_dispatch.cond

omp_dispatch.cond:
  %omp_dispatch.cmp = icmp ult i32 %omp_dispatch.iv, %omp_dispatch.tripcount
  br i1 %omp_dispatch.cmp, label %omp_dispatch.body, label %omp_dispatch.exit

omp_dispatch.body:
  %13 = mul i32 %omp_dispatch.iv, %omp_dispatch.stride
  %14 = add i32 %13, %omp_firstchunk.lb
  br label %omp_loop.preheader2

omp_dispatch.inc:
  %omp_dispatch.next = add nuw i32 %omp_dispatch.iv, 1
  br label %omp_dispatch.header

omp_dispatch.exit:
  call void @__kmpc_for_static_fini(ptr @1, i32 %omp_global_thread_num)
  %omp_global_thread_num3 = call i32 @__kmpc_global_thread_num(ptr @1)
  call void @__kmpc_barrier(ptr @2, i32 %omp_global_thread_num3)
  br label %omp_dispatch.after

omp_dispatch.after:
  br label %omp_loop.after

omp_loop.preheader2:
  %15 = add i32 %14, %omp_chunk.range
  %omp_chunk.is_last = icmp uge i32 %15, %.count
  %16 = sub i32 %.count, %14
  %omp_chunk.tripcount = select i1 %omp_chunk.is_last, i32 %16, i32 %omp_chunk.range
  br label %omp_loop.header

omp_loop.header:
  %omp_loop.iv = phi i32 [ 0, %omp_loop.preheader2 ], [ %omp_loop.next, %omp_loop.inc ]
  br label %omp_loop.cond

omp_loop.cond:
  %omp_loop.cmp = icmp ult i32 %omp_loop.iv, %omp_chunk.tripcount
  br i1 %omp_loop.cmp, label %omp_loop.body, label %omp_loop.exit

omp_loop.body:
  %17 = add i32 %omp_loop.iv, %14
  call void @__captured_stmt.1(ptr %i, i32 %17, ptr %agg.captured1)
  %18 = load i32, ptr %i, align 4
  call void @use(i32 noundef %18)
  br label %omp_loop.inc

omp_loop.inc:
  %omp_loop.next = add nuw i32 %omp_loop.iv, 1
  br label %omp_loop.header

omp_loop.exit:
  br label %omp_dispatch.inc

omp_loop.after:
  ret void
}

declare hidden void @__captured_stmt(ptr noundef nonnull align 4 dereferenceable(4), ptr noalias noundef)

declare hidden void @__captured_stmt.1(ptr noundef nonnull align 4 dereferenceable(4), i32 noundef, ptr noalias noundef)

declare void @use(i32 noundef)

declare void @__kmpc_for_static_init_4u(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)

declare void @__kmpc_for_static_fini(ptr, i32)

declare i32 @__kmpc_global_thread_num(ptr)

declare void @__kmpc_barrier(ptr, i32)
