"""How examples that go through a server are run: the same ones each time, over one database for all of a test.

Not shrunk: that takes longer than the suite lets a test run. Add ``Phase.shrink`` to look into a failure.
"""

from hypothesis import HealthCheck, Phase, settings

__all__ = ["server_examples"]


def server_examples(count: int) -> settings:
    """Settings for ``count`` examples."""
    return settings(
        max_examples=count,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
