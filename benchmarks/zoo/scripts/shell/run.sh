#!/bin/bash
set -euo pipefail

export LR=0.05
export SAVE_TO=weights/model.pt
mkdir -p "$(dirname "$SAVE_TO")"

python train.py --steps 800 --lr "$LR"
