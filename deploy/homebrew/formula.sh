#!/usr/bin/env bash
# Prints the formula of a release, for a tap of your own:
#
#   deploy/homebrew/formula.sh v1.2.0 1.2.0 dist/SHA256SUMS
#
# It fails if the list lacks a binary that the formula names.
set -euo pipefail

tag=$1 version=$2 sums=$3
formula=$(<"$(dirname "${BASH_SOURCE[0]}")/askgate.rb")
formula=${formula#*$'\n\n'} # its head is about the template
formula=${formula//@TAG@/$tag}
formula=${formula//@VERSION@/$version}
while read -r sum name; do
    if [[ $name == "askgate_${tag}_"* ]]; then
        formula=${formula//@SHA256_${name#"askgate_${tag}_"}@/$sum}
    fi
done <"$sums"
if [[ $formula =~ @SHA256_([a-z0-9_]+)@ ]]; then
    echo "no formula: $sums has no askgate_${tag}_${BASH_REMATCH[1]}" >&2
    exit 1
fi
printf '%s\n' "$formula"
