#!/usr/bin/env bash
# A reviewer receives a bundle: recompute it, judge it, look for leaks, look at the worst queries.
set -euo pipefail
bundle=$1

assay verify "$bundle"
assay gate "$bundle" || echo "not publishable, for the reasons above"
assay audit "$bundle"
assay show "$bundle" --worst 3 --measure ndcg@10
