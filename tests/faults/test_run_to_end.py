"""What ``run_to_end`` promises: the work ends, its result or error is given, a cancellation is told after that."""

import asyncio
import gc

import anyio
import anyio.lowlevel
import pytest

from convotree import UnavailableError
from convotree.storage.driver import run_to_end


class Work:
    """Work in two halves; the test decides when the second begins."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.ended = False
        self._error = error

    async def run(self) -> str:
        self.begun.set()
        await self.may_end.wait()
        self.ended = True
        if self._error is not None:
            raise self._error
        return "done"


async def started(work: Work) -> "asyncio.Task[str]":
    task = asyncio.ensure_future(run_to_end(work.run()))
    await work.begun.wait()
    return task


async def rounds(count: int = 5) -> None:
    """Let everything that is ready run."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_gives_the_result() -> None:
    work = Work()
    task = await started(work)
    work.may_end.set()
    assert await task == "done"


async def test_raises_the_error_of_the_work() -> None:
    work = Work(UnavailableError(operation="insert", reason="AutoReconnect"))
    task = await started(work)
    work.may_end.set()
    with pytest.raises(UnavailableError):
        await task


@pytest.mark.parametrize("times", [1, 2, 5])
async def test_cancelled_once_or_often_it_waits_for_the_end_and_then_raises(times: int) -> None:
    work = Work()
    task = await started(work)
    for _ in range(times):
        task.cancel()
        await rounds()
        assert not task.done()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert work.ended
    assert task.cancelled()


async def test_cancelled_before_its_first_step_it_still_does_the_work() -> None:
    work = Work()
    work.may_end.set()

    async def caller() -> None:
        current = asyncio.current_task()
        assert current is not None
        current.cancel()
        await run_to_end(work.run())

    with pytest.raises(asyncio.CancelledError):
        await asyncio.ensure_future(caller())
    assert work.ended


async def test_an_error_behind_a_cancellation_is_not_reported_as_lost() -> None:
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    work = Work(UnavailableError(operation="insert", reason="AutoReconnect"))
    task = await started(work)
    task.cancel()
    await rounds()
    work.may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    del task, work
    gc.collect()
    await rounds()
    asyncio.get_running_loop().set_exception_handler(None)
    assert reported == []


async def test_a_timeout_of_asyncio_is_told_as_a_timeout() -> None:
    work = Work()

    async def caller() -> None:
        async with asyncio.timeout(0):
            await run_to_end(work.run())

    task = asyncio.ensure_future(caller())
    await work.begun.wait()
    await rounds()
    assert not task.done()
    work.may_end.set()
    with pytest.raises(TimeoutError):
        await task
    assert work.ended


async def test_a_timeout_of_asyncio_leaves_the_task_uncancelled() -> None:
    work = Work()

    async def caller() -> int:
        try:
            async with asyncio.timeout(0):
                await run_to_end(work.run())
        except TimeoutError:
            pass
        await asyncio.sleep(0)
        current = asyncio.current_task()
        assert current is not None
        return current.cancelling()

    task = asyncio.ensure_future(caller())
    await work.begun.wait()
    await rounds()
    work.may_end.set()
    assert await task == 0


async def test_a_deadline_of_anyio_passes_while_the_work_ends() -> None:
    work = Work()
    after: list[str] = []

    async def caller() -> bool:
        with anyio.move_on_after(0) as scope:
            await run_to_end(work.run())
            await anyio.lowlevel.checkpoint()
            after.append("went on")
        return scope.cancelled_caught

    task = asyncio.ensure_future(caller())
    await work.begun.wait()
    await rounds()
    assert not task.done()
    work.may_end.set()
    assert await task
    assert work.ended
    assert after == []


async def test_a_cancelled_task_group_waits_for_the_work() -> None:
    work = Work()
    async with anyio.create_task_group() as group:
        group.start_soon(run_to_end, work.run())
        await work.begun.wait()
        group.cancel_scope.cancel()
        work.may_end.set()
    assert work.ended


async def test_work_that_is_cancelled_itself_ends_the_wait() -> None:
    inner: list[asyncio.Task[object]] = []

    async def work() -> None:
        current = asyncio.current_task()
        assert current is not None
        inner.append(current)
        await asyncio.Event().wait()

    task = asyncio.ensure_future(run_to_end(work()))
    await rounds()
    inner[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_loop_that_shuts_down_does_not_hang() -> None:
    # ``asyncio.run`` cancels whatever is left, the work's own task among it.
    begun = False

    async def work() -> None:
        nonlocal begun
        begun = True
        await asyncio.Event().wait()

    async def main() -> None:
        waiting = asyncio.ensure_future(run_to_end(work()))
        await rounds()
        assert not waiting.done()

    asyncio.run(main())
    assert begun
