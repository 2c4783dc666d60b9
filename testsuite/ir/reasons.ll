; The only way past the range goes where the reason that it has stored says: not to the end.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; CHECK-COUNT-1: {{[._]}}loop{{[^ ]*}} = {{.*}}, section "ompchunk_loops"
; CHECK-COUNT-1: call void @__kmpc_for_static_fini(
; REMARK-COUNT-1: remark:
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
