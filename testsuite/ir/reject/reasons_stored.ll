; The way past the range stores a reason in a way that says too little of what the switch reads.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; TWIN: mod.rs EndsEarly
; UNCHANGED: the reason is not known, so the end may come before the range
; REMARK-COUNT-12: remark:
; REMARK: left alone: __kmpc_for_static_fini is called before a chunk or between two
; REMARK-COUNT-12: left alone: __kmpc_for_static_fini is called before a chunk or between two

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@0 = hidden unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }, align 8

; No reason is stored.
define void @no_reason(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  call void @use(i32 1)
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

; A part of it is stored again.
define void @in_part(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 256, ptr %slot
  store i8 1, ptr %slot
  br label %cleanup

dealt:
  %u = load i32, ptr %ub
  %over = icmp sgt i32 %u, %last
  %upper = select i1 %over, i32 %last, i32 %u
  store i32 %upper, ptr %ub
  %lower = load i32, ptr %lb
  store i32 %lower, ptr %iv
  call void @use(i32 %lower)
  store i32 257, ptr %slot
  br label %cleanup

cleanup:
  %why = load i32, ptr %slot
  switch i32 %why, label %lost [
    i32 257, label %fini
  ]

fini:
  call void @__kmpc_for_static_fini(ptr @1, i32 %thread)
  ret void

lost:
  call void @abort()
  unreachable
}

; So is its first byte, by another pointer.
define void @through_an_offset(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 1, ptr %slot
  %part = getelementptr i8, ptr %slot, i64 0
  store i8 0, ptr %part
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

; Two variables are stored at once.
define void @wider(i32 %thread, i1 %c, i1 %d, i32 %last) {
entry:
  %slot = alloca i32, i32 2, align 8
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
  store i32 1, ptr %slot
  store i64 4294967296, ptr %slot
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

; What is stored is no integer.
define void @of_floats(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 1, ptr %slot
  store float 0.0, ptr %slot
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

; It is filled.
define void @set(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 1, ptr %slot
  call void @llvm.memset.p0.i64(ptr %slot, i8 0, i64 4, i1 false)
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

; Somebody else has its address.
define void @handed_on(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 1, ptr %slot
  call void @writes(ptr %slot)
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

; It is stored through a pointer that is kept in memory.
define void @kept_elsewhere(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store ptr %slot, ptr @kept
  store i32 1, ptr %slot
  %other = load ptr, ptr @kept
  store i32 0, ptr %other
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

; The pointer is one of two.
define void @this_or_another(i32 %thread, i1 %c, i1 %d, i32 %last) {
entry:
  %slot = alloca i32
  %other = alloca i32
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
  store i32 1, ptr %slot
  %either = select i1 %d, ptr %slot, ptr %other
  store i32 0, ptr %either
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

; It is exchanged.
define void @exchanged(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 1, ptr %slot
  %was = atomicrmw xchg ptr %slot, i32 0 monotonic
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

; The store is atomic, so others may store, too.
define void @atomic(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store atomic i32 1, ptr %slot monotonic, align 4
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

; It is volatile.
define void @volatile(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store volatile i32 1, ptr %slot
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

declare void @writes(ptr)

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

@kept = global ptr null
