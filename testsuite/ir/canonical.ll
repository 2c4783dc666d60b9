; The loop whose twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-2: call void @use(
; REMARK: instrumented static loop, schedule(static,10): with a copy of the loop that reports each chunk; its schedule can be changed at run time
; REMARK-COUNT-1: remark:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@text = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@ident = private unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @text }, align 8

define void @f(i32 %gtid, i32 %last) {
entry:
  %iv = alloca i32, align 4
  %lb = alloca i32, align 4
  %ub = alloca i32, align 4
  %stride = alloca i32, align 4
  %is_last = alloca i32, align 4
  %some = icmp sle i32 0, %last
  br i1 %some, label %init, label %end

init:
  store i32 0, ptr %lb, align 4
  store i32 %last, ptr %ub, align 4
  store i32 1, ptr %stride, align 4
  store i32 0, ptr %is_last, align 4
  call void @__kmpc_for_static_init_4(ptr @ident, i32 %gtid, i32 33, ptr %is_last, ptr %lb, ptr %ub, ptr %stride, i32 1, i32 10)
  br label %dispatch

dispatch:
  %ub.0 = load i32, ptr %ub, align 4
  %above = icmp sgt i32 %ub.0, %last
  br i1 %above, label %cut, label %keep

cut:
  br label %clamp

keep:
  %ub.1 = load i32, ptr %ub, align 4
  br label %clamp

clamp:
  %clamped = phi i32 [ %last, %cut ], [ %ub.1, %keep ]
  store i32 %clamped, ptr %ub, align 4
  %lb.0 = load i32, ptr %lb, align 4
  store i32 %lb.0, ptr %iv, align 4
  %iv.0 = load i32, ptr %iv, align 4
  %ub.2 = load i32, ptr %ub, align 4
  %chunk = icmp sle i32 %iv.0, %ub.2
  br i1 %chunk, label %inner, label %done

inner:
  %iv.1 = load i32, ptr %iv, align 4
  %ub.3 = load i32, ptr %ub, align 4
  %more = icmp sle i32 %iv.1, %ub.3
  br i1 %more, label %body, label %advance

body:
  %iv.2 = load i32, ptr %iv, align 4
  call void @use(i32 %iv.2)
  %next = add nsw i32 %iv.2, 1
  store i32 %next, ptr %iv, align 4
  br label %inner

advance:
  %lb.1 = load i32, ptr %lb, align 4
  %stride.0 = load i32, ptr %stride, align 4
  %lb.2 = add nsw i32 %lb.1, %stride.0
  store i32 %lb.2, ptr %lb, align 4
  %ub.4 = load i32, ptr %ub, align 4
  %stride.1 = load i32, ptr %stride, align 4
  %ub.5 = add nsw i32 %ub.4, %stride.1
  store i32 %ub.5, ptr %ub, align 4
  br label %dispatch

done:
  call void @__kmpc_for_static_fini(ptr @ident, i32 %gtid)
  br label %end

end:
  ret void
}

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
declare void @use(i32)
