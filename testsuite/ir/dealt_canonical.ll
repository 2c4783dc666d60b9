; A loop whose chunks the runtime deals; its twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-2: call void @use(
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-2: call i32 @__kmpc_dispatch_next_4(
; REMARK: instrumented loop, schedule(dynamic,10): with a copy of the loop that reports each chunk
; REMARK-COUNT-1: remark:

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
