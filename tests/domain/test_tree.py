"""The skeleton in memory: any order in, tree order out, no recursion, damage named."""

import random

import pytest

from convotree.domain.message import Role
from convotree.domain.tree import ConversationTree, TreeRevision
from convotree.errors import CorruptTreeError, RevisionNotFoundError


def node(name: str, parent: str | None, ordinal: int = 0, depth: int = 0) -> TreeRevision:
    return TreeRevision(
        id=name, parent_id=parent, ordinal=ordinal, depth=depth, lane_id="lane", role=Role.USER
    )


#     a            z (second root)
#    / \
#   b   c
#   |   |\
#   d   e f
NODES = (
    node("a", None),
    node("b", "a"),
    node("c", "a", 1),
    node("d", "b"),
    node("e", "c"),
    node("f", "c", 3),
    node("z", None, 1),
)


def tree(nodes: tuple[TreeRevision, ...] = NODES, selected: str | None = "d") -> ConversationTree:
    return ConversationTree.of("conversation", selected, nodes)


@pytest.mark.parametrize("seed", range(20))
def test_the_order_of_arrival_does_not_matter(seed: int) -> None:
    shuffled = list(NODES)
    random.Random(seed).shuffle(shuffled)

    assert tree(tuple(shuffled)) == tree()
    assert [one.id for one in tree(tuple(shuffled))] == ["a", "b", "d", "c", "e", "f", "z"]


def test_relations() -> None:
    one = tree()

    assert [root.id for root in one.roots] == ["a", "z"]
    assert [leaf.id for leaf in one.leaves] == ["d", "e", "f", "z"]
    assert [child.id for child in one.children("c")] == ["e", "f"]
    assert one.children("f") == ()
    assert [sibling.id for sibling in one.siblings("e")] == ["e", "f"]
    assert [sibling.id for sibling in one.siblings("a")] == ["a", "z"]
    assert [step.id for step in one.path_to("f")] == ["a", "c", "f"]
    assert one.get("b").parent_id == "a"
    assert len(one) == 7


def test_the_newest_leaf_follows_the_highest_ordinal() -> None:
    assert tree().newest_leaf_below("a").id == "f"
    assert tree().newest_leaf_below("b").id == "d"
    assert tree().newest_leaf_below("z").id == "z"


@pytest.mark.parametrize("method", ["get", "children", "siblings", "path_to", "newest_leaf_below"])
def test_an_unknown_revision_is_named(method: str) -> None:
    with pytest.raises(RevisionNotFoundError) as caught:
        getattr(tree(), method)("nowhere")

    assert (caught.value.conversation_id, caught.value.revision_id) == ("conversation", "nowhere")


def test_an_empty_tree() -> None:
    empty = ConversationTree.of("conversation", None, ())

    assert (len(empty), empty.roots, empty.leaves) == (0, (), ())


def test_a_missing_parent_is_reported() -> None:
    with pytest.raises(CorruptTreeError) as caught:
        tree((node("a", None), node("c", "gone")))

    assert caught.value.revision_id == "c"
    assert "parent is missing" in caught.value.problem


@pytest.mark.parametrize("ring", [("a",), ("a", "b"), ("a", "b", "c")])
def test_a_cycle_is_reported(ring: tuple[str, ...]) -> None:
    nodes = tuple(node(one, ring[index - 1]) for index, one in enumerate(ring))

    with pytest.raises(CorruptTreeError) as caught:
        tree((node("r", None), *nodes))

    assert caught.value.revision_id in ring
    assert "cycle" in caught.value.problem


@pytest.mark.parametrize("parent", ["a", "r", None])
def test_an_id_that_is_there_twice_is_reported(parent: str | None) -> None:
    with pytest.raises(CorruptTreeError) as caught:
        tree((node("r", None), node("a", "r"), node("a", parent, 1)))

    assert caught.value.revision_id == "a"


def test_a_chain_of_50_000_needs_no_recursion() -> None:
    chain = tuple(node(str(depth), str(depth - 1) if depth else None, depth=depth) for depth in range(50_000))

    one = tree(chain, "49999")

    assert len(one.path_to("49999")) == 50_000
    assert one.newest_leaf_below("0").id == "49999"
