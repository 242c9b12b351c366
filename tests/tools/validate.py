# Validates JSON files against their schemas in docs/schemas/; also rejects members that no schema describes.
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Usage: validate.py FOLDER FILE...
import json
import sys

import jsonschema


def close(part):
    """Allows no members except the described ones."""
    if isinstance(part, list):
        for element in part:
            close(element)
    elif isinstance(part, dict):
        for element in part.values():
            close(element)
        if isinstance(part.get("properties"), dict):
            part["additionalProperties"] = False


def errors(folder, path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    with open(f"{folder}/{document['schema']}.json", encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    close(schema)
    return list(jsonschema.Draft202012Validator(schema).iter_errors(document))


folder, *paths = sys.argv[1:]
failed = False
for path in paths:
    for error in errors(folder, path):
        print(f"{path}: {error.json_path}: {error.message[:200]}")
        failed = True
sys.exit(failed)
