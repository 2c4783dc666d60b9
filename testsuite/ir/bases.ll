; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; REMARK-COUNT-1: remark:
;--- canonical.ll
; The loop whose twins in reject/ each break one thing.
;
; CHECK-COUNT-2: call void @use(
; REMARK: instrumented static loop, schedule(static,10): with a copy of the loop that reports each chunk; its schedule can be changed at run time

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
;--- reasons.ll
; The only way past the range goes where the reason that it has stored says: not to the end.
;
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-1: call void @__kmpc_for_static_fini(
; REMARK-COUNT-1: instrumented static loop, schedule(static): one chunk per thread

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@0 = hidden unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }, align 8

; The reason is the last one stored, in a variable that is only loaded and stored.
define void @stored(i32 %thread, i1 %c, i1 %d, i32 %last) {
entry:
  %slot = alloca i32
  %iv = alloca i32
  %lb = alloca i32
  %ub = alloca i32
  %st = alloca i32
  %is_last = alloca i32
  store i32 0, ptr %lb
  store i32 %last, ptr %ub
  store i32 1, ptr %st
  store i32 0, ptr %is_last
  call void @__kmpc_for_static_init_4(ptr @1, i32 %thread, i32 34, ptr %is_last, ptr %lb, ptr %ub, ptr %st, i32 1, i32 1)
  br i1 %c, label %early, label %dealt

early:
  store i32 0, ptr %slot
  store i32 1, ptr %slot
  br label %cleanup

dealt:
  %u = load i32, ptr %ub
  %over = icmp sgt i32 %u, %last
  %upper = select i1 %over, i32 %last, i32 %u
  store i32 %upper, ptr %ub
  %lower = load i32, ptr %lb
  store i32 %lower, ptr %iv
  call void @use(i32 %lower)
  store i32 0, ptr %slot
  br label %cleanup

cleanup:
  %why = load i32, ptr %slot
  switch i32 %why, label %lost [
    i32 0, label %fini
  ]

fini:
  call void @__kmpc_for_static_fini(ptr @1, i32 %thread)
  ret void

lost:
  call void @abort()
  unreachable
}

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)

declare void @__kmpc_for_static_fini(ptr, i32)

declare void @use(i32)

declare void @abort()
;--- sections_canonical.ll
; Sections; their twins in reject/ each break one thing.
;
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-2: call void @use(i32 0)
; REMARK: instrumented sections: with a copy of the loop that reports each chunk

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
;--- strided_canonical.ll
; A loop over chunks of one iteration, which needs no loop within; its twins in reject/ each break one thing.
;
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; REMARK: instrumented static loop, schedule(static,1): with a copy of the loop that reports each chunk

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
;--- task_canonical.ll
; The creation of a task; its twins in reject/ each break one thing.
;
; SNAPSHOT: f
; CHECK-COUNT-2: call i32 @__kmpc_omp_task(
; REMARK: instrumented task creation

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @f(i32 %gtid, i1 %condition) personality ptr @personality {
  %task = call ptr @__kmpc_omp_task_alloc(ptr null, i32 %gtid, i32 1, i64 40, i64 0, ptr @entry)
  store i32 7, ptr %task, align 4
  %handed = call i32 @__kmpc_omp_task(ptr null, i32 %gtid, ptr %task)
  br label %end

end:
  ret void
}

declare i32 @entry(i32, ptr)
declare i32 @personality(...)
declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
;--- dealt_canonical.ll
; A loop whose chunks the runtime deals; its twins in reject/ each break one thing.
;
; CHECK-COUNT-2: call void @use(
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-2: call i32 @__kmpc_dispatch_next_4(
; REMARK: instrumented loop, schedule(dynamic,10): with a copy of the loop that reports each chunk

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

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
  call void @__kmpc_dispatch_init_4(ptr null, i32 %gtid, i32 35, i32 0, i32 %last, i32 1, i32 10)
  br label %dispatch

dispatch:
  %dealt = call i32 @__kmpc_dispatch_next_4(ptr null, i32 %gtid, ptr %is_last, ptr %lb, ptr %ub, ptr %stride)
  %chunk = icmp ne i32 %dealt, 0
  br i1 %chunk, label %start, label %done

start:
  %lb.0 = load i32, ptr %lb, align 4
  store i32 %lb.0, ptr %iv, align 4
  br label %inner

inner:
  %iv.1 = load i32, ptr %iv, align 4
  %ub.3 = load i32, ptr %ub, align 4
  %more = icmp sle i32 %iv.1, %ub.3
  br i1 %more, label %body, label %again

body:
  %iv.2 = load i32, ptr %iv, align 4
  call void @use(i32 %iv.2)
  %next = add nsw i32 %iv.2, 1
  store i32 %next, ptr %iv, align 4
  br label %inner

again:
  br label %dispatch

done:
  br label %end

end:
  ret void
}

declare void @__kmpc_dispatch_init_4(ptr, i32, i32, i32, i32, i32, i32)
declare i32 @__kmpc_dispatch_next_4(ptr, i32, ptr, ptr, ptr, ptr)
declare void @use(i32)
