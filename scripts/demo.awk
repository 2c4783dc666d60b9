# demo.awk - the demonstration's tables, from three files in this order: what the program printed, the
# report of chunk-balance without ompchunk, and the one with it. The loops stand in all three in the
# order in which the program ran them.

FNR == 1 { file++ }

file == 1 && $1 == "ran" { ran[++loops] = $6; all_iterations[loops] = $8; what[loops] = $2 }

file > 1 && $1 == "loop" {
  number = $2
  seen_loops[file]++
  name[file, number] = $3
  schedule[file, number] = $4
}
file > 1 && ($1 ~ /^[0-9]+$/ || $1 == "all") && NF >= 7 {
  chunks[file, number, $1] = $3
  iterations[file, number, $1] = $4
  busy[file, number, $1] = $5
  longest[file, number, $1] = $6
  if ($1 != "all" && $1 + 1 > threads) threads = $1 + 1
}
file > 1 && $1 == "all" {
  imbalance[file, number] = match($0, /imbalance .*/) ? substr($0, RSTART + 10, RLENGTH - 10) : "-"
}

function side(f, l, t) {
  if (!((f, l, t) in chunks)) return sprintf("%7s %11s %9s %9s", "-", "-", "-", "-")
  return sprintf("%7d %11d %9.2f %9.2f", chunks[f, l, t], iterations[f, l, t], busy[f, l, t], longest[f, l, t])
}

function of(part, whole) { return sprintf("%d of %d", part, whole) }

END {
  if (seen_loops[2] != loops || seen_loops[3] != loops) {
    printf "the program ran %d loops, the tool saw %d and %d\n", loops, seen_loops[2], seen_loops[3]
    exit 1
  }
  for (l = 1; l <= loops; l++) {
    printf "\n%s  %s  schedule(%s): %d chunks, %d iterations\n", what[l], name[3, l], schedule[3, l], ran[l], all_iterations[l]
    printf "          |           without ompchunk            |             with ompchunk\n"
    printf "   thread | chunks  iterations   busy ms   longest | chunks  iterations   busy ms   longest\n"
    for (t = 0; t < threads; t++) printf "%9d | %s | %s\n", t, side(2, l, t), side(3, l, t)
    printf "imbalance | %38s  | %38s\n", imbalance[2, l], imbalance[3, l]
    for (f = 2; f <= 3; f++) {
      seen[f] += chunks[f, l, "all"]
      seen_iterations[f] += iterations[f, l, "all"]
    }
    really += ran[l]
    really_iterations += all_iterations[l]
  }
  printf "\n%-22s %22s %22s\n", "in all loops", "without ompchunk", "with ompchunk"
  printf "%-22s %22s %22s\n", "chunk events", of(seen[2], really), of(seen[3], really)
  printf "%-22s %22s %22s\n", "iterations accounted", of(seen_iterations[2], really_iterations), of(seen_iterations[3], really_iterations)
  exit !(seen[3] == really && seen_iterations[3] == really_iterations)
}
