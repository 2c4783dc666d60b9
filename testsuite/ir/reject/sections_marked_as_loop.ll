; Sections that the location argument calls a loop, as is proposed for LLVM 24. Their number picks what runs.
;
; RUN: %opt -load-pass-plugin=%plugin -passes=ompchunk,verify -pass-remarks=ompchunk -pass-remarks-missed=ompchunk -S %s
; TWIN: range.rs Sections

target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.ident_t = type { i32, i32, i32, i32, ptr }

@0 = private unnamed_addr constant [23 x i8] c";unknown;unknown;0;0;;\00", align 1
@1 = private unnamed_addr constant %struct.ident_t { i32 0, i32 514, i32 0, i32 22, ptr @0 }, align 8

define internal void @f.omp_outlined(i32 %gtid) {
entry:
  %.omp.sections.lb. = alloca i32, align 4
  %.omp.sections.ub. = alloca i32, align 4
  %.omp.sections.st. = alloca i32, align 4
  %.omp.sections.il. = alloca i32, align 4
  %.omp.sections.iv. = alloca i32, align 4
  store i32 0, ptr %.omp.sections.lb., align 4
  store i32 1, ptr %.omp.sections.ub., align 4
  store i32 1, ptr %.omp.sections.st., align 4
  store i32 0, ptr %.omp.sections.il., align 4
  call void @__kmpc_for_static_init_4(ptr @1, i32 %gtid, i32 34, ptr %.omp.sections.il., ptr %.omp.sections.lb., ptr %.omp.sections.ub., ptr %.omp.sections.st., i32 1, i32 1)
  %0 = load i32, ptr %.omp.sections.ub., align 4
  %1 = icmp slt i32 %0, 1
  %2 = select i1 %1, i32 %0, i32 1
  store i32 %2, ptr %.omp.sections.ub., align 4
  %3 = load i32, ptr %.omp.sections.lb., align 4
  store i32 %3, ptr %.omp.sections.iv., align 4
  br label %omp.inner.for.cond

omp.inner.for.cond:
  %4 = load i32, ptr %.omp.sections.iv., align 4
  %5 = load i32, ptr %.omp.sections.ub., align 4
  %cmp = icmp sle i32 %4, %5
  br i1 %cmp, label %omp.inner.for.body, label %omp.inner.for.end

omp.inner.for.body:
  %6 = load i32, ptr %.omp.sections.iv., align 4
  switch i32 %6, label %.omp.sections.exit [
    i32 0, label %.omp.sections.case
    i32 1, label %.omp.sections.case1
  ]

.omp.sections.case:
  call void @use(i32 noundef 1)
  br label %.omp.sections.exit

.omp.sections.case1:
  call void @use(i32 noundef 2)
  br label %.omp.sections.exit

.omp.sections.exit:
  br label %omp.inner.for.inc

omp.inner.for.inc:
  %7 = load i32, ptr %.omp.sections.iv., align 4
  %inc = add nsw i32 %7, 1
  store i32 %inc, ptr %.omp.sections.iv., align 4
  br label %omp.inner.for.cond

omp.inner.for.end:
  call void @__kmpc_for_static_fini(ptr @1, i32 %gtid)
  ret void
}

declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)

declare void @__kmpc_for_static_fini(ptr, i32)

declare void @use(i32 noundef)
