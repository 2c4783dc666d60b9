; The way past the range has stored a reason, but the switch may read another.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; TWIN: mod.rs EndsEarly
; UNCHANGED: the reason is not known, so the end may come before the range
; REMARK-COUNT-15: remark:
; REMARK: left alone: __kmpc_for_static_fini is called before a chunk or between two
; REMARK-COUNT-15: left alone: __kmpc_for_static_fini is called before a chunk or between two

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@0 = hidden unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = hidden unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }, align 8

; The reason is one of two constants.
define void @selected(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  %one = select i1 %d, i32 1, i32 0
  store i32 %one, ptr %slot
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

; So it is where two ways meet.
define void @merged(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  br i1 %d, label %other, label %meet

other:
  br label %meet

meet:
  %one = phi i32 [ 1, %early ], [ 0, %other ]
  store i32 %one, ptr %slot
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

; It is anything.
define void @undefined(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 undef, ptr %slot
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

; It is an address.
define void @of_an_address(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 ptrtoint (ptr @0 to i32), ptr %slot
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

; A loop before the switch may change it.
define void @changed_in_a_loop(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  br label %wait

wait:
  br i1 %d, label %change, label %cleanup

change:
  store i32 0, ptr %slot
  br label %wait

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

; The switch has no case for it, and its default is the end.
define void @without_a_case(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 7, ptr %slot
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
  switch i32 %why, label %fini [
    i32 1, label %lost
  ]

fini:
  call void @__kmpc_for_static_fini(ptr @1, i32 %thread)
  ret void

lost:
  call void @abort()
  unreachable
}

; It is stored after the switch's load.
define void @loaded_before(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 1, ptr %slot
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

; The load stands in a block before the store.
define void @loaded_elsewhere(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  br label %then

then:
  store i32 1, ptr %slot
  br label %switched

switched:
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

; Another variable's is stored last.
define void @of_another(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  store i32 0, ptr %slot
  store i32 1, ptr %other
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

unused:
  %others = load i32, ptr %other
  switch i32 %others, label %lost [
    i32 1, label %fini
  ]

fini:
  call void @__kmpc_for_static_fini(ptr @1, i32 %thread)
  ret void

lost:
  call void @abort()
  unreachable
}

; The switch reckons with it.
define void @reckoned(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  %loaded = load i32, ptr %slot
  %why = xor i32 %loaded, 1
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

; The switch reads a part of it.
define void @read_in_part(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  %why = load i8, ptr %slot
  switch i8 %why, label %lost [
    i8 0, label %fini
  ]

fini:
  call void @__kmpc_for_static_fini(ptr @1, i32 %thread)
  ret void

lost:
  call void @abort()
  unreachable
}

; A call returns twice, the second time with the reason stored after the first.
define void @returned_to(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  %again = call i32 @returns()
  %first = icmp eq i32 %again, 0
  br i1 %first, label %on, label %cleanup

on:
  store i32 0, ptr %slot
  call void @jumps()
  unreachable

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

; LLVM's own.
define void @returned_to_llvm_s(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  %again = call i32 @llvm.eh.sjlj.setjmp(ptr @buffer)
  %first = icmp eq i32 %again, 0
  br i1 %first, label %on, label %cleanup

on:
  store i32 0, ptr %slot
  call void @jumps()
  unreachable

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

; It is invoked.
define void @returned_to_invoked(i32 %thread, i1 %c, i1 %d, i32 %last) personality ptr @__gxx_personality_v0 {
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
  %again = invoke i32 @returns() to label %returned unwind label %thrown

returned:
  %first = icmp eq i32 %again, 0
  br i1 %first, label %on, label %cleanup

on:
  store i32 0, ptr %slot
  call void @jumps()
  unreachable

thrown:
  %pad = landingpad { ptr, i32 } cleanup
  call void @abort()
  unreachable

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

; So it does where only the call says that it may.
define void @returned_to_here(i32 %thread, i1 %c, i1 %d, i32 %last) {
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
  %again = call i32 @asks() returns_twice
  %first = icmp eq i32 %again, 0
  br i1 %first, label %on, label %cleanup

on:
  store i32 0, ptr %slot
  call void @jumps()
  unreachable

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

declare i32 @returns() returns_twice

declare i32 @llvm.eh.sjlj.setjmp(ptr)

declare i32 @__gxx_personality_v0(...)

@buffer = global [5 x ptr] zeroinitializer

declare i32 @asks()

declare void @jumps() noreturn
