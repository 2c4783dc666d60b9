; OpenMPIRBuilder's loop over chunks, whose ident says since LLVM 23 that it is a worksharing loop (flag 512).
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-2: call void @use(
; REMARK: instrumented static loop, schedule(static,10)
; REMARK-COUNT-1: remark:

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
