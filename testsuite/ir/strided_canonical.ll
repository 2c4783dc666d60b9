; A loop over chunks of one iteration, which needs no loop within; its twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; REMARK: instrumented static loop, schedule(static,1): with a copy of the loop that reports each chunk
; REMARK-COUNT-1: remark:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@text = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@ident = private unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @text }, align 8

define void @f(i32 %gtid, i64 %first, i64 %last) {
entry:
  %bound = alloca i64, align 8
  %iv = alloca i32, align 4
  %lb = alloca i32, align 4
  %ub = alloca i32, align 4
  %stride = alloca i32, align 4
  %is_last = alloca i32, align 4
  store i64 %last, ptr %bound, align 8
  %first.32 = trunc i64 %first to i32
  %last.32 = trunc i64 %last to i32
  store i32 %first.32, ptr %lb, align 4
  store i32 %last.32, ptr %ub, align 4
  store i32 1, ptr %stride, align 4
  store i32 0, ptr %is_last, align 4
  call void @__kmpc_for_static_init_4(ptr @ident, i32 %gtid, i32 33, ptr %is_last, ptr %lb, ptr %ub, ptr %stride, i32 1, i32 1)
  %start = load i32, ptr %lb, align 4
  store i32 %start, ptr %iv, align 4
  br label %header

header:
  %iv.0 = load i32, ptr %iv, align 4
  %wide = sext i32 %iv.0 to i64
  %bound.0 = load i64, ptr %bound, align 8
  %more = icmp ule i64 %wide, %bound.0
  br i1 %more, label %body, label %done

body:
  %iv.1 = load i32, ptr %iv, align 4
  call void @body(i32 %iv.1)
  br label %advance

advance:
  %iv.2 = load i32, ptr %iv, align 4
  %by = load i32, ptr %stride, align 4
  %iv.3 = add i32 %iv.2, %by
  store i32 %iv.3, ptr %iv, align 4
  br label %header

done:
  call void @__kmpc_for_static_fini(ptr @ident, i32 %gtid)
  ret void
}

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
declare void @body(i32)
