//! A stack, frame by frame. Called from a signal handler: it allocates nothing, and reads only the thread's own stack.

use framehop::{FrameAddress, Unwinder as _};
use ompchunk_trace_format::stacks::Cut;
use ompchunk_trace_format::stacks::layout::MOST_FRAMES;

use crate::stacks::modules::Modules;
use crate::stacks::registers::{MachineState, RED_ZONE};
use crate::stacks::thread::Samples;

/// What unwinding may take of the stack, and something for the program's own handlers.
const ROOM: u64 = 48 << 10;

/// Stores the stack from `place` on in `samples`, and says why it is not whole.
pub(crate) fn unwind(modules: &Modules, place: &MachineState, samples: &mut Samples) -> Option<Cut> {
    let (low, high) = samples.stack;
    samples.frames[0] = place.pc;
    samples.depth = 1;
    if !(low..high).contains(&place.sp) {
        return Some(Cut::OtherStack);
    }
    if place.sp - low < ROOM {
        return Some(Cut::LittleStack);
    }
    let from = place.sp - RED_ZONE as u64;
    let mut read = |address: u64| {
        let inside = address % 8 == 0 && address >= from && address.saturating_add(8) <= high;
        if !inside {
            return Err(());
        }
        // SAFETY: on the thread's stack, above where it is (or in the zone below that the kernel keeps): that is mapped, and
        // this thread, which is here, is the only one that needs to write to it. A word that another one changes is any word.
        Ok(unsafe { (address as *const u64).read_volatile() })
    };
    let mut registers = place.registers;
    let mut address = FrameAddress::from_instruction_pointer(place.pc);
    loop {
        if !modules.know(address.address_for_lookup()) {
            return Some(Cut::NotUnwound);
        }
        let next = modules.unwinder().unwind_frame(address, &mut registers, &mut samples.cache, &mut read);
        let next = match next {
            Ok(Some(next)) => next,
            // The root says that it has no caller, or that it returns to nowhere.
            Ok(None) => return None,
            Err(framehop::Error::ReturnAddressIsNull) => return None,
            Err(_) => return Some(Cut::NotUnwound),
        };
        let found = FrameAddress::from_return_address(next)?;
        if samples.depth == MOST_FRAMES {
            return Some(Cut::TooDeep);
        }
        samples.frames[samples.depth] = next;
        samples.depth += 1;
        address = found;
    }
}
