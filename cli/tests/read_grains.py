"""read_grains.py FILE: what networkx makes of a grain graph, and whether it is one; prints numbers as JSON."""
import json
import sys
from collections import Counter

import networkx

graph = networkx.read_graphml(sys.argv[1])
kinds = networkx.get_node_attributes(graph, "type")
of_kind = lambda kind: [node for node, its in kinds.items() if its == kind]
assert networkx.is_directed_acyclic_graph(graph)
(start,), (end,) = of_kind("start"), of_kind("end")
assert [node for node in graph if graph.in_degree(node) == 0] == [start]
assert [node for node in graph if graph.out_degree(node) == 0] == [end]

# Regions with all that is inside: what begins is behind one fork, what ends before one join.
regions = {}
for node, region in networkx.get_node_attributes(graph, "region").items():
    regions.setdefault(region, set()).add(node)
flat = len(regions) == 1
for nodes in regions.values() if flat else []:
    inside = graph.subgraph(nodes)
    (first,) = [node for node in inside if inside.in_degree(node) == 0]
    (last,) = [node for node in inside if inside.out_degree(node) == 0]
    assert kinds[first] == "fork" and kinds[last] == "join"

# A task's parts come one behind the other, behind the one that created it.
tasks = {}
for node in of_kind("task"):
    data = graph.nodes[node]
    tasks.setdefault(data["task"], {})[data["fragment"]] = node
for parts in tasks.values():
    assert sorted(parts) == list(range(len(parts)))
    for number in range(1, len(parts)):
        assert networkx.has_path(graph, parts[number - 1], parts[number])
edges = Counter(data["type"] for _, _, data in graph.edges(data=True))
created = [to for _, to, data in graph.edges(data=True) if data["type"] == "create"]
assert all(sum(1 for to in created if to == parts[0]) <= 1 for parts in list(tasks.values())[:50])

# The longest path is the one that is marked.
weight = lambda node: graph.nodes[node].get("exec_ns", 0.0)
longest = {}
for node in networkx.topological_sort(graph):
    longest[node] = weight(node) + max((longest[before] for before in graph.predecessors(node)), default=0.0)
span = graph.nodes[end]["critical_path_ns"]
assert abs(longest[end] - span) <= 1 + 1e-6 * span, (longest[end], span)
marked = sum(weight(node) for node in graph if graph.nodes[node].get("critical_path"))
assert abs(marked - span) <= 1 + 1e-6 * span, (marked, span)
work = sum(weight(node) for node in graph)
assert abs(work - graph.nodes[end]["work_ns"]) <= 1 + 1e-6 * work

with_all = [graph.nodes[parts[0]] for parts in tasks.values()]
print(
    json.dumps(
        {
            "tasks": sum(not data.get("creator") for data in with_all),
            "fragments": sum(map(len, tasks.values())),
            "chunks": sum(1 for node in of_kind("chunk") if graph.nodes[node].get("fragment", 0) == 0),
            "regions": len(regions),
            "edges": edges,
            "nodes": len(graph),
            "span": span,
            "work": work,
            "parallelism": max((data.get("inst_parallelism", 0) for data in with_all), default=0),
            "benefits": sum("parallel_benefit" in data for data in with_all),
            "balances": sum("load_balance" in data for data in with_all),
        }
    )
)
