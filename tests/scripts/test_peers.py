"""The comparison with other stores: its own two run here, the others only where their packages are installed."""

from scripts.peers.comparison import PEERS, REGENERATIONS, compare, markdown
from scripts.peers.convotree_peer import Convotree
from scripts.peers.one_document import OneDocument


async def test_nothing_is_lost_or_doubled_here_and_what_is_elsewhere_is_counted(server_uri: str) -> None:
    own, document = await compare(server_uri, turns=20, peers=[Convotree, OneDocument])
    assert (own.lost, own.doubled, own.doubled_by_a_repetition) == (0, 0, 0)
    assert own.answers_kept == REGENERATIONS + 1
    # A document that all write back whole keeps the last answer only, and every repetition.
    assert (document.answers_kept, document.doubled_by_a_repetition) == (1, 2)
    assert document.lost > 0
    lines = markdown([own, document]).splitlines()
    assert len(lines) == 4
    assert {line.count("|") for line in lines} == {13}


def test_every_store_has_a_module() -> None:
    assert len(PEERS) == 6
