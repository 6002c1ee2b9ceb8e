"""What a client sent: a command listener that keeps the names, so that a test can count round trips."""

from pymongo.monitoring import CommandFailedEvent, CommandListener, CommandStartedEvent, CommandSucceededEvent


class CommandLog(CommandListener):
    """The commands started on the clients of one test, in the order of sending."""

    def __init__(self) -> None:
        self.started_events: list[CommandStartedEvent] = []

    @property
    def names(self) -> list[str]:
        return [event.command_name for event in self.started_events]

    def clear(self) -> None:
        """Forget everything so far: what follows is counted alone."""
        self.started_events.clear()

    def started(self, event: CommandStartedEvent) -> None:
        self.started_events.append(event)

    def succeeded(self, event: CommandSucceededEvent) -> None:
        """Required by the listener's interface; a round trip counts when it is sent."""

    def failed(self, event: CommandFailedEvent) -> None:
        """Required by the listener's interface; a round trip counts when it is sent."""
