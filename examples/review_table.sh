#!/usr/bin/env bash
# A reviewer receives a printed table, and perhaps the authors' per-query file.
set -euo pipefail
data=${1:-$(dirname "$0")/data}

assay lint "$data/paper_table.md" || echo "these values cannot all be right"
assay verify --per-query "$data/paper_queries.csv" --claims "$data/paper_claims.json"
