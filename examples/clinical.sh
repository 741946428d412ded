#!/usr/bin/env bash
# One table of risks and outcomes: intervals by patient, calibration, a certified threshold, the decision curve.
set -euo pipefail
data=${1:-$(dirname "$0")/data}
table=(--decisions "$data/sepsis.csv" --prob risk --label sepsis --group patient)

assay evaluate "${table[@]}" --ci fast -m auroc,auprc,brier,ece # intervals draw patients, not rows
# Choose a threshold for 85% sensitivity on half of the patients, and see what it does on the others:
assay evaluate "${table[@]}" --tune-share 0.5 -m sensitivity:at=tune_sensitivity_0.85 -m npv:at=tune_sensitivity_0.85
assay evaluate "${table[@]}" --tune-share 0.5 --ci fast -o sepsis # report.html has calibration and decision curve
assay verify sepsis "${table[@]}" --tune-share 0.5
