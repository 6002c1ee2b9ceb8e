"""Recorded bodies of providers in the two request shapes: losses are listed, the rest is a document of the shape."""

import json
import os
from pathlib import Path
from types import ModuleType

import pytest

from convotree import Request
from convotree.interchange import or_llm, sigma
from tests.interchange.shape_documents import REPOSITORY

GIVEN = os.environ.get("CONVOTREE_CASES")
FOLDER = Path(GIVEN) if GIVEN else REPOSITORY.parent / "shared" / "cases"
PROVIDERS = {
    "anthropic": "anthropic",
    "google": "gemini",
    "openai_chat": "openai-chat",
    "openai_responses": "openai-responses",
}
BODIES = sorted((FOLDER / "provider-requests").glob("*.json"))


def test_the_bodies_are_there(cases: Path) -> None:
    assert len(list((cases / "provider-requests").glob("*.json"))) == len(BODIES) == 22


@pytest.mark.parametrize("shape", [sigma, or_llm], ids=lambda shape: str(shape.__name__.rpartition(".")[2]))
@pytest.mark.parametrize("path", BODIES, ids=lambda path: path.stem)
def test_a_body_becomes_a_document_of_the_shape(path: Path, shape: ModuleType) -> None:
    provider = PROVIDERS[path.stem.rpartition("_")[0]]
    request = Request.from_provider(provider, path.read_bytes())

    converted = shape.convert(request)

    assert shape.dumps(shape.loads(converted.text)) == converted.text
    # Each text of each message is there, or a note names its place.
    written = json.dumps(json.loads(converted.text))
    noted = {note.place for note in converted.notes}
    for index, message in enumerate(request.messages):
        for number, part in enumerate(message.parts):
            text = getattr(part, "text", None)
            if text:
                assert json.dumps(text) in written or f"messages[{index}].parts[{number}]" in noted
