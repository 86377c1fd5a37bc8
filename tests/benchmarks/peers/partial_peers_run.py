#!/usr/bin/python3
"""Runs the peers of partial fairness of scores and writes what each reached as JSON: a row for each data set, split,
method and parameter. Rows that the file has of methods that are not run stay. The peers are checked first."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

# One thread, and before NumPy is loaded.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tests" / "benchmarks"))


def arguments() -> argparse.Namespace:
    from partial_data import SEEDS, SETS
    from partial_peers import METHODS

    parser = argparse.ArgumentParser(prog="tests/benchmarks/peers/partial_peers_run.py", description=__doc__)
    data = Path(os.environ.get("FAIRSTREAM_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("output", type=Path, help="the file of rows")
    parser.add_argument("--tables", action="store_true", help="only show the means of the rows there are")
    parser.add_argument("--data", type=Path, default=data, help="real data sets [FAIRSTREAM_DATA, else %(default)s]")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), help="[all]")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), help="[all]")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS), help="of the splits [1 2 3 4 5]")
    return parser.parse_args()


def show(rows: list[dict]) -> None:
    from partial_tables import table
    from report import markdown_table

    for found in (table(rows, name) for name in dict.fromkeys(row["data"] for row in rows)):
        print(f"**{found.title}**\n\n{markdown_table(found.header, found.rows)}\n")


def learn(chosen: argparse.Namespace, rows: list[dict]) -> None:
    """Adds to `rows`, and writes them after each method."""
    from partial_data import SETS, load
    from partial_peers import METHODS, Trial
    from report import progress

    for name in chosen.sets:
        loaded = load(SETS[name], chosen.data)
        for seed in chosen.seeds:
            trial = Trial(SETS[name], loaded.split(seed))
            for method in chosen.methods:
                progress(f"{name}, split {seed}: {method}")
                key = {"data": name, "seed": seed, "run": method}
                rows[:] = [row for row in rows if any(row[field] != key[field] for field in key)]
                rows += [key | asdict(row) for row in METHODS[method](trial)]
                chosen.output.write_text(json.dumps(rows, indent=1))
    progress("")


def main() -> int:
    from partial_checks import check_peers
    from support import Failed

    chosen = arguments()
    rows = json.loads(chosen.output.read_text()) if chosen.output.exists() else []
    if chosen.tables:
        show(rows)
        return 0
    try:
        check_peers()
        learn(chosen, rows)
    except Failed as error:
        print(f"partial_peers_run: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
