"""read_summary.py GRAPH SUMMARY: whether a summary says of a run what the whole graph says; prints how many nodes it has."""
import sys
from collections import Counter

import networkx

whole, summary = map(networkx.read_graphml, sys.argv[1:])


def one(graph, kind):
    (found,) = [data for _, data in graph.nodes(data=True) if data["type"] == kind]
    return found


def sums(graph, kind, of, what):
    """What there is of `what`, by the names `of` of nodes of a kind."""
    found = Counter()
    for _, data in graph.nodes(data=True):
        if data["type"] == kind:
            found[tuple(data.get(name) for name in of)] += what(data)
    return {names: value for names, value in found.items() if value}


def same(name, ours, theirs):
    assert ours.keys() == theirs.keys(), (name, ours, theirs)
    for key, value in ours.items():
        assert abs(value - theirs[key]) <= 1 + 1e-6 * value, (name, key, value, theirs[key])


assert networkx.is_directed_acyclic_graph(summary)
kinds = networkx.get_node_attributes(summary, "type")
assert [kinds[node] for node in summary if summary.in_degree(node) == 0] == ["start"]
assert [kinds[node] for node in summary if summary.out_degree(node) == 0] == ["end"]
for key in ("work_ns", "critical_path_ns"):
    assert abs(one(whole, "end")[key] - one(summary, "end")[key]) <= 1, key

first = lambda data: data.get("fragment", 0) == 0
count = lambda data: data["count"]
time = lambda data: data["exec_ns"]
shallow = lambda data: (data.get("depth") or 65) <= 64
by_construct = ["construct", "depth"]
same("tasks", sums(whole, "task", by_construct, lambda data: first(data) and shallow(data)), sums(summary, "task", by_construct, lambda data: shallow(data) and "depth" in data and data["count"]))
same("task time", sums(whole, "task", by_construct, lambda data: shallow(data) and time(data)), sums(summary, "task", by_construct, lambda data: "depth" in data and time(data)))
same("all tasks", sums(whole, "task", [], first), sums(summary, "task", [], count))
same("all task time", sums(whole, "task", [], time), sums(summary, "task", [], time))
same("chunks", sums(whole, "chunk", ["loop"], first), sums(summary, "chunk", ["loop"], count))
same("chunk time", sums(whole, "chunk", ["loop"], time), sums(summary, "chunk", ["loop"], time))
same("implicit time", sums(whole, "implicit", [], time), sums(summary, "implicit", [], time))
sync = lambda graph: sums(graph, "task", [], lambda data: first(data) and data.get("sync_ns", 0))
assert abs(sync(whole).get((), 0) - sync(summary).get((), 0)) <= 1 + 1e-3 * sync(whole).get((), 0) + len(whole), (sync(whole), sync(summary))
print(len(summary))
