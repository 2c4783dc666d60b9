//! Operations of OpenACC and of OpenMP's `target` in a lane. They nest like everything else that a thread does; a runtime that forgets an end, or tells one
//! in another order or on another thread, costs that operation its length and nothing else.

use ompchunk_trace_format::openacc::{is_end, is_start};
use ompchunk_trace_format::target::is_of_target;
use ompchunk_trace_format::{AccDetail, AccOperation, AccSite, Event, NOBODY};

use crate::lane::Lane;
use crate::part;
use crate::scope::{Scope, acc_place};

/// So many operations at most are open in a thread; what begins inside them is told without a length.
const DEEPEST: usize = 64;

impl Lane {
    pub(crate) fn acc_happens(&mut self, now: u64, what: AccOperation, site: &AccSite<'_>) {
        if is_end(what.event) {
            self.acc_ends(now, what, site);
        } else if is_start(what.event) {
            self.acc_begins(now, what, site);
        } else {
            self.acc_point(now, what, site);
        }
    }

    fn acc_begins(&mut self, now: u64, mut what: AccOperation, site: &AccSite<'_>) {
        self.end_stale_tasks(now);
        if self.silence.is_on {
            self.acc.expect(what.event);
            return;
        }
        let open = self.scopes.iter().filter(|scope| matches!(scope, Scope::Acc(..)));
        if open.count() >= DEEPEST {
            self.acc.expect(what.event);
            return self.acc_point(now, what, site);
        }
        self.know_place(now, &mut what, site);
        let scope = Scope::Acc(what.event, acc_place(&what));
        self.begin(now, scope, &Event::AccBegin(what));
    }

    fn acc_ends(&mut self, now: u64, what: AccOperation, site: &AccSite<'_>) {
        let start = what.event - 1;
        let is_start = |scope: &Scope| matches!(scope, Scope::Acc(event, _) if *event == start);
        // What belongs to a task does not end what is around the task.
        let ends = |scope: &Scope| is_start(scope) || matches!(scope, Scope::ImplicitTask(..));
        match self.scopes.iter().rposition(ends).filter(|at| is_start(&self.scopes[*at])) {
            Some(at) => {
                self.unwind(now, at + 1);
                self.acc.ends = true;
                self.unwind(now, at);
                self.acc.ends = false;
            }
            None if self.acc.was_expected(start) => {}
            None => self.acc_point(now, what, site),
        }
    }

    pub(crate) fn acc_point(&mut self, now: u64, mut what: AccOperation, site: &AccSite<'_>) {
        if self.silence.is_on {
            return;
        }
        self.know_place(now, &mut what, site);
        self.tell_acc_point(now, what);
    }

    fn know_place(&mut self, now: u64, what: &mut AccOperation, site: &AccSite<'_>) {
        what.site = self.know_site(now, site);
        // OMPT tells no return address of a kernel: it has that of the construct around it.
        if let AccDetail::Target { code: code @ None, .. } = &mut what.detail
            && let Some(Scope::Acc(around, place)) = self.scopes.last()
            && is_of_target(*around)
            && *place != 0
        {
            *code = Some(*place);
        }
        if what.detail.code() != 0 {
            self.know_code(now, what.detail.code() as usize);
        }
    }

    /// The site's number, and its definition if the lane does not have it yet.
    fn know_site(&mut self, now: u64, site: &AccSite<'_>) -> u32 {
        let texts = [site.file, site.function, site.name];
        let lines = [site.lines, site.function_lines].concat();
        if texts.iter().all(|it| it.is_empty()) && lines.iter().all(|line| *line == 0) {
            return NOBODY;
        }
        let mut key = std::mem::take(&mut self.acc.key);
        key.clear();
        lines.iter().for_each(|line| key.extend_from_slice(&line.to_le_bytes()));
        for text in texts {
            key.extend_from_slice(text);
            // No text contains a 0.
            key.push(0);
        }
        let number = self.acc.known.get(&key).copied().or_else(|| {
            let number = part::site_number(&key)?;
            let now = self.time_of_definitions(now);
            self.put(now, &Event::AccSite(AccSite { site: number, ..*site }));
            self.acc.known.insert(key.clone(), number);
            Some(number)
        });
        self.acc.key = key;
        number.unwrap_or(NOBODY)
    }

    /// A chunk begins: what of OpenACC began in the chunk before and never ended is over.
    pub(crate) fn leave_acc(&mut self, now: u64) {
        let inside = |scope: &Scope| !matches!(scope, Scope::Acc(..));
        let Some(at) = self.scopes.iter().rposition(inside) else { return };
        if matches!(self.scopes[at], Scope::Loop(_)) {
            self.unwind(now, at + 1);
        }
    }
}
