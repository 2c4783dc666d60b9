"""read_otf2_tasks.py ARCHIVE [cut] - the explicit tasks of an OTF2 archive, read by OTF2's own bindings: each is created once, switched to at
least once and complete once, in one team; a thread goes on with its implicit task where it runs no other; and what is entered in a task
is left in it. `cut`: some may not be complete. Prints how many tasks there are, and how often threads switched to them."""

import collections
import sys

import otf2
from otf2.enums import RegionRole
from otf2.events import (Enter, Leave, ThreadFork, ThreadJoin, ThreadTaskComplete, ThreadTaskCreate, ThreadTaskSwitch, ThreadTeamBegin,
                         ThreadTeamEnd)


class Level:
    """A thread's part of a region, or what is outside of all: the task that runs, and what each task has open."""

    def __init__(self, team):
        self.team = team
        self.task = None
        self.open_of = collections.defaultdict(list)

    def inside(self):
        return self.open_of[self.task]


def main(archive, *words):
    created, switched, completed = collections.Counter(), collections.Counter(), collections.Counter()
    when = {}
    levels = collections.defaultdict(lambda: [Level(None)])
    last = collections.Counter()
    must_switch = {}
    with otf2.reader.open(archive + "/traces.otf2") as trace:
        for location, event in trace.events:
            assert event.time >= last[location], event
            last[location] = event.time
            level = levels[location][-1]
            if must_switch.pop(location, False):
                assert isinstance(event, ThreadTaskSwitch), event
            if isinstance(event, ThreadTeamBegin):
                levels[location].append(Level(event.thread_team))
            elif isinstance(event, ThreadTeamEnd):
                ended = levels[location].pop()
                assert ended.team == event.thread_team and ended.task is None and not any(ended.open_of.values()), event
            elif isinstance(event, (Enter, ThreadFork)):
                level.inside().append(event)
            elif isinstance(event, Leave):
                assert level.inside().pop().region == event.region, event
            elif isinstance(event, ThreadJoin):
                assert isinstance(level.inside().pop(), ThreadFork), event
            elif isinstance(event, (ThreadTaskCreate, ThreadTaskSwitch, ThreadTaskComplete)):
                members = event.thread_team.group.members
                assert event.thread_team == level.team and event.creating_thread < len(members), event
                task = (members[event.creating_thread], event.generation_number)
                if isinstance(event, ThreadTaskCreate):
                    assert task[0] == location and task[1] > 0, event
                    assert level.inside()[-1].region.region_role == RegionRole.TASK_CREATE, event
                    created[task] += 1
                    when[task] = event.time
                elif isinstance(event, ThreadTaskComplete):
                    assert level.task == task and not level.inside(), event
                    completed[task] += 1
                    must_switch[location] = True
                elif task[1] == 0:
                    assert task[0] == location, event
                    level.task = None
                else:
                    switched[task] += 1
                    level.task = task
    assert not any(must_switch.values()), must_switch
    assert set(created.values()) <= {1} and set(completed.values()) <= {1}
    if "cut" in words:
        assert completed.keys() <= switched.keys() <= created.keys()
    else:
        assert created.keys() == switched.keys() == completed.keys()
    print(sum(created.values()), sum(switched.values()))


main(*sys.argv[1:])
