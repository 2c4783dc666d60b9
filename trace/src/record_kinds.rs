//! The layout of every record, stated once: the numbers of kinds, the encoder and the decoder are macros that take this table. A row gives
//! kind, number and units (for kinds from 128 on, those before the texts), the event, the type that it holds, and values that are not
//! stored because they never vary; then the fields: `small`, the word at 8, further units. A field takes 8 bytes, or the number behind its
//! name; unnamed bytes are zero. A writer takes the first row whose condition (`if`) holds: of fields, or of the number of a converted
//! event. `+` marks lengths of texts that follow, and `-` an end that may be left out.

macro_rules! records {
    ($reader:ident) => {
        $reader! {
            // The event's own fields.
            fields {
                THREAD_BEGIN          5, 1: [ThreadBegin]           { kind(3) | thread(4), os_thread(4) };
                THREAD_END            6, 1: [ThreadEnd]             { | thread(4) };
                PARALLEL_BEGIN        7, 2: [ParallelBegin]         { flags(3) | requested(4) | parallel, code };
                PARALLEL_END          8, 1: [ParallelEnd]           { | parallel };
                /// `IMPLICIT_TASK_BEGIN` in one unit.
                TASK_BEGIN           33, 1: [ImplicitTaskBegin, flags: IMPLICIT] { index(3) | parallel(5), team_size(3) }
                    if (*parallel != 0 && fits(*parallel, 5) && fits(*index, 3) && fits(*team_size, 3));
                IMPLICIT_TASK_BEGIN   9, 2: [ImplicitTaskBegin]     { flags(3) | index(4), team_size(4) | parallel };
                IMPLICIT_TASK_END    10, 1: [ImplicitTaskEnd]       { | parallel };
                /// `WORK_BEGIN` in one unit.
                WORK_BEGIN_SHORT     38, 1: [WorkBegin]             { work(1), count(2) | code }
                    if (fits(*work, 1) && fits(*count, 2));
                WORK_BEGIN           11, 2: [WorkBegin]             { work(3) | count | code };
                WORK_END             12, 1: [WorkEnd]               { work(3) };
                SYNC_BEGIN           13, 1: [SyncBegin(Sync)]       { kind(3) | code };
                SYNC_END             14, 1: [SyncEnd(Sync)]         { kind(3) | code };
                WAIT_BEGIN           15, 1: [WaitBegin(Sync)]       { kind(3) | code };
                WAIT_END             16, 1: [WaitEnd(Sync)]         { kind(3) | code };
                LOOP_BEGIN           17, 2: [LoopBegin(LoopBegin, start: None, step: None)] { | the_loop(4), work(4) | count };
                LOOP_END             19, 1: [LoopEnd]               { | the_loop(4) };
                /// Tasks that are told one by one, in fewer units; readers that do not know these skip them.
                TASK_CREATE_SHORT   139, 2: [TaskCreate, create_duration: NOT_TIMED]
                    { | task(4), parent(4) | code, flags(4) } if (fits(*task, 4) && fits(*parent, 4));
                TASK_END            140, 1: [TaskSchedule, status: COMPLETE] { | prior(4), next(4) }
                    if (fits(*prior, 4) && fits(*next, 4));
                TASK_SWITCH         141, 1: [TaskSchedule, status: SWITCH] { | prior(4), next(4) }
                    if (fits(*prior, 4) && fits(*next, 4));
                TASK_CREATION_SHORT 142, 1: [TaskCreation]          { | task(4), duration(4) }
                    if (fits(*task, 4) && fits(*duration, 4));
                TASK_CREATION       143, 2: [TaskCreation]          { | task | duration };
                TASK_DEPENDENCE     144, 2: [TaskDependence]        { | variable | task, kind(4) };
                TASK_CREATE          20, 3: [TaskCreate]            { | create_duration | task, parent | code, flags(4) };
                TASK_SCHEDULE        21, 2: [TaskSchedule]          { status(3) | | prior, next };
                LOST                 22, 4: [Lost(Lost)]
                    { reason(3) | the_loop(4), thread(4) | chunks, iterations | events | from, to };

                // Since version 3, and so the short ones.
                RECORDER             24, 2: [Recorder(Recorder)]    { before(3) | ticks | preempted };
                OFF_CORE             25, 2: [OffCore(OffCore)]      { core(3) | ticks | since, voluntary(4), involuntary(4) };
                LOOP_TIMES           26, 3: [Times(Times)]
                    { | the_loop(4), thread(4) | recorder, preempted | waiting, either };
                PAUSE                48, 1: [Pause(_)]              { why(3) };
                RESUME               49, 1: [Resume]                { | };
                BARRIERS             50, 2: [Barriers]              { | parallel | count };
                LEFT_OUT             51, 2: [LeftOut(LeftOut)]      { why(3) | the_loop(4), thread(4) | executions };
                OMITTED              52, 1: [Omitted]               { why(3) | the_loop(4) };

                // Kinds from here on say their length, in `small`.
                LOOP_DEFINITION     128, 5: [Loop(LoopDefinition)]
                    { | the_loop(4), flags(4) | code, schedule(4), construct(1), bits(1), variable_bits(1), instrumented(1)
                      | chunk, start | step, line(4), column(4) | function(4), file(4), fixed(1), bound(1), group(4) }
                    + [function, file, group];
                CODE_DEFINITION     129, 2: [Code(Code)]            { | function(4), object(4) | address, offset } + [function, object];
                AGGREGATE           130, 5: [Aggregate(Aggregate)]
                    { | the_loop(4), thread(4) | executions, chunks | iterations, sum | min, max | create_duration, histogram }
                    + [histogram];
                SUM                 131, 5: [Sum(Sum)]
                    { | thread(4), what(1), of(3) | code, the_loop(4) | count, sum | min, max | from, to };
                /// Skipped by older readers.
                ON_CPU              148, 1: [OnCpu]                 { | cpu(4) };
                ACC_SITE            133, 3: [AccSite(AccSite)]
                    { | site(4) | lines, function_lines | file(4), function(4), name(4) } + [file, function, name];
                TASKS               137, 11: [Tasks(Tasks)]
                    { | thread(4), flags(4) | code, created | begun, ended | creation, timed | work, queued | moved, moved_work | min, max
                      | undeferred, deepest | waited, creators | creators_work, sizes(4), depths(4)
                      | depth_work(4) } + [sizes, depths, depth_work];
                TASK_REGION         138, 5: [TaskRegion(TaskRegion)]
                    { | thread(4), team_size(4) | code, executions | unknown, work | waited, span | elapsed };
            }
            // What the event gives as its fields, and is made of again.
            converted {
                CHUNK_WIDE            3, 2: [Chunk(Chunk)]          { last(3) | create_duration | lower, iterations };
                LOOP_BEGIN_USER      18, 3: [LoopBegin(LoopBegin)]  { known(3) | the_loop(4), work(4) | count | start, step };
                /// Not in traces of older recorders, and skipped by older readers of this version; OpenACC's likewise.
                SUB_BLOCK           132, 2: [SubBlock(SubBlock)]    { | lower | iterations, flags(4) };
                TARGET_BEGIN        145, 5: [AccBegin(AccOperation)]
                    { | site(4), event(1), known(3) | construct(4), device_type(4), device(4) | asynchronous, queue
                      | first, second | third } if is_of_target;
                TARGET_POINT        146, 5: [AccPoint(AccOperation)]
                    { | site(4), event(1), known(3) | construct(4), device_type(4), device(4) | asynchronous, queue
                      | first, second | third } if is_of_target;
                TARGET_END          147, 1: [AccEnd(AccEnd)]        { | event(4), flags(4) } if is_of_target;
                ACC_BEGIN           134, 5: [AccBegin(AccOperation)]
                    { | site(4), event(1), known(3) | construct(4), device_type(4), device(4) | asynchronous, queue
                      | first, second | third } - missing_numbers;
                ACC_POINT           135, 5: [AccPoint(AccOperation)]
                    { | site(4), event(1), known(3) | construct(4), device_type(4), device(4) | asynchronous, queue
                      | first, second | third } - missing_numbers;
                ACC_END             136, 1: [AccEnd(AccEnd)]        { | event(4), flags(4) };
            }
            // What is stored too often for a table, or is no event: `encode` and `decode` have the first ones, `joint` the rest.
            by_hand {
                CHUNK                 1, 1;
                CHUNK_LAST            2, 1;
                TIME                  4, 1;
                // Since version 2.
                CHUNK_PAIR           23, 1;
                // Since version 3.
                /// `LOOP_BEGIN_USER` in one unit.
                LOOP_BEGIN_SHORT     34, 1;
                /// `PARALLEL_BEGIN` and `IMPLICIT_TASK_BEGIN`.
                REGION_BEGIN         32, 2;
                /// `SYNC_BEGIN` and `WAIT_BEGIN`.
                BARRIER_BEGIN        35, 1;
                /// `WAIT_END` and `SYNC_END`.
                BARRIER_END          36, 1;
                /// `IMPLICIT_TASK_END` and `PARALLEL_END`.
                REGION_END           37, 1;
            }
        }
    };
}

/// Which words of a record have what, from the first on one after the other.
macro_rules! words {
    ($first:literal: $($word:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Word { $($word),* }
        $( pub const $word: usize = $first + Word::$word as usize; )*
    };
}

/// Where the fields of a head are, and what each is.
macro_rules! places {
    ($($field:ident $at:literal, $what:literal;)*) => {
        $( #[doc = $what] pub const $field: usize = $at; )*
    };
}

pub(crate) use {places, records, words};
