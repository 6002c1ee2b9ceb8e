"""What a client sent: a command listener that keeps the names, so that a test can count round trips."""

from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent

from tests.isolation import is_of_the_library, reaches_beyond


class CommandLog(CommandListener):
    """The commands started on the clients of one test, in the order of sending. ``beyond``: why those that the library
    sent can reach more than one conversation (``tests/isolation.py``); never forgotten.
    """

    def __init__(self) -> None:
        self.started_events: list[CommandStartedEvent] = []
        self.beyond: list[str] = []

    @property
    def names(self) -> list[str]:
        return [event.command_name for event in self.started_events]

    def clear(self) -> None:
        """Forget everything so far: what follows is counted alone."""
        self.started_events.clear()

    def started(self, event: CommandStartedEvent) -> None:
        self.started_events.append(event)
        try:
            if is_of_the_library(event.command):
                self.beyond += reaches_beyond(event.command)
        except Exception as error:  # noqa: BLE001  # the driver swallows errors of a listener
            self.beyond.append(f"{event.command_name} could not be looked at: {error!r}")

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Required by the listener's interface; a round trip counts when it is sent."""

    def failed(self, event: CommandFailedEvent) -> None:
        """Required by the listener's interface; a round trip counts when it is sent."""
