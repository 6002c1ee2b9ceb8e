"""A report can be counted and walked."""

from convotree.domain.import_report import ImportedConversation, ImportReport
from convotree.domain.parsed import ImportProblem


def test_a_report_is_walked_in_order() -> None:
    done = ImportedConversation("a", 3, 1, "leaf")
    failed = ImportedConversation("b", 0, 0, None, (ImportProblem("b", "what"),), failed="why")

    report = ImportReport((done, failed))

    assert list(report) == [done, failed]
    assert len(report) == 2
    assert [one.id for one in report if one.failed] == ["b"]
