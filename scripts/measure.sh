#!/usr/bin/env bash
# measure.sh mutants | engines | foreign | load - what is measured seldom. foreign reads DIRS, engines ARGS.
. "$(dirname "$0")/common.sh"
cd "$root"

# shellcheck disable=SC2086 # several words each
case ${1:-} in
mutants) scripts/mutants.sh ;;
engines) scripts/engines.sh ${ARGS:-} ;;
foreign) OMPCHUNK_IOMP5=${OMPCHUNK_IOMP5:-$(scripts/fetch-iomp5.sh --if-any)} scripts/foreign.py "$root/dist/bin/ompchunk" ${DIRS:-} ;;
# Three recordings are in make test-full, among what judges time.
load) OMPCHUNK_RECORDINGS=${N:-20} OMPCHUNK_DIST=$root/dist cargo test --quiet -p ompchunk-cli --test all -- --ignored --nocapture load:: ;;
*) die "usage: make measure WHAT=mutants, or WHAT=engines, foreign or load" ;;
esac
