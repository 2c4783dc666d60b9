; A second task is allocated before the first is handed over.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; TWIN: task.rs NotHandedOver
; REMARK-COUNT-2: remark:

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @f(i32 %gtid) {
  %task = call ptr @__kmpc_omp_task_alloc(ptr null, i32 %gtid, i32 1, i64 40, i64 0, ptr @entry)
  %second = call ptr @__kmpc_omp_task_alloc(ptr null, i32 %gtid, i32 1, i64 40, i64 0, ptr @entry)
  %handed = call i32 @__kmpc_omp_task(ptr null, i32 %gtid, ptr %task)
  ret void
}

declare i32 @entry(i32, ptr)
declare ptr @__kmpc_omp_task_alloc(ptr, i32, i32, i64, i64, ptr)
declare i32 @__kmpc_omp_task(ptr, i32, ptr)
