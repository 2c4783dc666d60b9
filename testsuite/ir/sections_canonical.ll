; Sections; their twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-2: call void @use(i32 0)
; REMARK: instrumented sections: with a copy of the loop that reports each chunk
; REMARK-COUNT-1: remark:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@text = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@ident = private unnamed_addr constant %struct.ident_t { i32 0, i32 1026, i32 0, i32 22, ptr @text }, align 8

define void @f(i32 %gtid, i32 %other) {
entry:
  %iv = alloca i32, align 4
  %lb = alloca i32, align 4
  %ub = alloca i32, align 4
  %stride = alloca i32, align 4
  %is_last = alloca i32, align 4
  store i32 0, ptr %lb, align 4
  store i32 1, ptr %ub, align 4
  store i32 1, ptr %stride, align 4
  store i32 0, ptr %is_last, align 4
  call void @__kmpc_for_static_init_4(ptr @ident, i32 %gtid, i32 34, ptr %is_last, ptr %lb, ptr %ub, ptr %stride, i32 1, i32 1)
  %ub.0 = load i32, ptr %ub, align 4
  %below = icmp slt i32 %ub.0, 1
  %clamped = select i1 %below, i32 %ub.0, i32 1
  store i32 %clamped, ptr %ub, align 4
  %lb.0 = load i32, ptr %lb, align 4
  store i32 %lb.0, ptr %iv, align 4
  br label %cond

cond:
  %iv.0 = load i32, ptr %iv, align 4
  %ub.1 = load i32, ptr %ub, align 4
  %more = icmp sle i32 %iv.0, %ub.1
  br i1 %more, label %body, label %done

body:
  %iv.1 = load i32, ptr %iv, align 4
  switch i32 %iv.1, label %next [
    i32 0, label %first
    i32 1, label %second
  ]

first:
  call void @use(i32 0)
  br label %next

second:
  call void @use(i32 1)
  br label %next

next:
  %iv.2 = load i32, ptr %iv, align 4
  %iv.3 = add nsw i32 %iv.2, 1
  store i32 %iv.3, ptr %iv, align 4
  br label %cond

done:
  call void @__kmpc_for_static_fini(ptr @ident, i32 %gtid)
  ret void
}

declare void @use(i32)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
