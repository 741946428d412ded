#!/usr/bin/env bash
# From the log of a RAG system to a report, and a check against yesterday's bundle.
set -euo pipefail
data=${1:-$(dirname "$0")/data}

assay evaluate "$data/rag_today.jsonl" -m ndcg@5 -m auroc
assay evaluate "$data/rag_yesterday.jsonl" -o yesterday --ci fast
assay evaluate "$data/rag_today.jsonl" -o today --ci fast # today/report.html is the report
assay show today --worst 5 --measure ndcg@5
assay gate today --against yesterday --allow ndcg@5=-0.01 --allow auroc=-0.02 --junit gate.xml --summary gate.md
