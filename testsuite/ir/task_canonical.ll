; The creation of a task; its twins in reject/ each break one thing.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; SNAPSHOT: f
; CHECK-COUNT-2: call i32 @__kmpc_omp_task(
; REMARK: instrumented task creation
; REMARK-COUNT-1: remark:

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
