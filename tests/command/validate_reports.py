"""Validates reports against JSON Schemas: COMMAND.schema.json in a folder, and reports COMMAND.*.json beside it, of which
each line that begins an object in column 1 begins a report."""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator


def reports_of(text):
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        report, at = decoder.raw_decode(text, at)
        yield report
        while at < len(text) and text[at].isspace():
            at += 1


def distance(errors):
    """Returns how many keys are missing or too many, and then how many other errors there are."""
    keys = sum(len(set(one.instance) - set(one.schema["properties"])) if one.validator == "additionalProperties" else 1
               for one in errors if one.validator in ("additionalProperties", "required"))
    return keys, len(errors)


def errors_of(error):
    """Returns the errors within the kind of report that fits best."""
    while error.context:
        kinds = {}
        for inner in error.context:
            kinds.setdefault(inner.schema_path[0], []).append(inner)
        error = max(min(kinds.values(), key=distance), key=lambda one: len(one.absolute_path))
    return f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def main(folder):
    failed = validated = 0
    for file in sorted(folder.glob("*.schema.json")):
        schema = json.loads(file.read_text())
        Draft202012Validator.check_schema(schema)
        validator, command = Draft202012Validator(schema), file.name.split(".")[0]
        for reports in sorted(folder.glob(f"{command}.*.json")):
            if reports == file:
                continue
            for report in reports_of(reports.read_text()):
                validated += 1
                for error in validator.iter_errors(report):
                    failed += 1
                    print(f"{reports.name}: {errors_of(error)}")
    print(f"{validated} reports, {failed} errors")
    return 1 if failed or not validated else 0


sys.exit(main(Path(sys.argv[1])))
