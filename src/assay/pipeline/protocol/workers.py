"""Run pieces of work in single-threaded processes, of which this one is the first."""

from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from queue import Empty
from threading import Lock, Thread
from time import monotonic
from typing import Any, Generic, TypeVar

from assay.errors import AssayError
from assay.pipeline.protocol.free_memory import release_memory

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
GRACE = 5.0  # seconds
Said = Callable[[str, str, float], None]  # a fold, the stage it has finished, its CPU seconds
Piece = TypeVar("Piece")
Made = TypeVar("Made")


def in_processes(
    pieces: Sequence[Piece],
    work: Callable[..., Made],
    processes: int,
    said: Said,
    *,
    here: Callable[[Piece, Said], Made],
    given: tuple[Any, ...] = (),
) -> list[Made]:
    """Return the result of `work`, a module-level function, for each piece; here, of `here`.

    `work` gets the piece, where to report progress, and `given`, which is sent to each process once.

    Processes share nothing and finish in any order. This process takes pieces from the end: the
    others start with the first, once they have imported the modules that are loaded here already.
    """
    context = get_context("spawn")
    with _blocked_signals():
        queue = context.Queue()  # starts the process that tracks semaphores

    def heard(*message: Any) -> None:
        said(*message)
        while not queue.empty():
            _listen(queue, said)

    try:
        with _one_thread(), ProcessPoolExecutor(processes - 1, context, _start, (queue, given)) as pool:
            shared = _Shared(pool, pieces, work)
            try:
                with _blocked_signals():
                    for _ in range(processes - 1):
                        shared.begin()
                try:
                    while (at := shared.last()) is not None:
                        shared.made[at] = here(pieces[at], heard)
                finally:
                    shared.stop()
                while not shared.done() or not queue.empty():
                    _listen(queue, said)
                return shared.results()
            except Exception:
                raise
            except BaseException:  # an interrupt does not wait for the other processes
                _end_workers(pool)
                raise
    except BrokenProcessPool:
        raise AssayError("a worker was killed; re-run the command to resume") from None


class _Shared(Generic[Piece, Made]):
    """Which pieces are not taken yet, and the results of the others."""

    def __init__(self, pool: ProcessPoolExecutor, pieces: Sequence[Piece], work: Callable[..., Made]) -> None:
        self.made: dict[int, Made] = {}
        self._pool, self._pieces, self._work = pool, pieces, work
        self._left = deque(range(len(pieces)))
        self._elsewhere: dict[int, Future[Made | AssayError]] = {}
        self._lock = Lock()

    def begin(self, ended: Future[Made | AssayError] | None = None) -> None:
        """Give an idle process the next piece; none after a failure."""
        if ended is not None and (ended.exception() or isinstance(ended.result(), AssayError)):
            self.stop()
        with self._lock:
            if not self._left:
                self._pool.shutdown(wait=False)  # idle processes end, and free their memory
                return
            at = self._left.popleft()
            begun = self._pool.submit(_in_worker, self._work, self._pieces[at])
            self._elsewhere[at] = begun
        begun.add_done_callback(self.begin)  # called in a thread of the pool

    def last(self) -> int | None:
        with self._lock:
            return self._left.pop() if self._left else None

    def stop(self) -> None:
        with self._lock:
            self._left.clear()

    def done(self) -> bool:
        with self._lock:
            return all(each.done() for each in self._elsewhere.values())

    def results(self) -> list[Made]:
        """Return the results in the order of the pieces, or raise the first error."""
        for at, each in sorted(self._elsewhere.items()):
            made = each.result()
            if isinstance(made, AssayError):
                raise made
            self.made[at] = made
        return [self.made[at] for at in range(len(self._pieces))]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Start new processes with this initialiser."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _blocked_signals() -> Iterator[None]:
    """Start processes that Ctrl-C and a closed terminal do not reach, not even while they start.

    These signals go to every process of a terminal. New processes inherit that they are blocked, and this
    process ends them; for itself it receives them a moment later.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGHUP))
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_workers(pool: ProcessPoolExecutor) -> None:
    """Terminate the processes of a pool now; they get some time to clean up."""
    workers = list((pool._processes or {}).values())  # there is no public API before Python 3.14
    pool.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.terminate()
    deadline = monotonic() + GRACE
    left: dict[Any, Any] = {worker.sentinel: worker for worker in workers}
    while left and monotonic() < deadline:
        for ended in wait(list(left), deadline - monotonic()):
            del left[ended]
    for worker in left.values():
        worker.kill()


_queue: Any = None
_given: tuple[Any, ...] = ()


def _start(queue: Any, given: tuple[Any, ...]) -> None:
    """Remember what a worker was given and where it reports, and end it when its parent ends.

    Ctrl-C reaches every process of a terminal: workers ignore it, and the parent ends them.
    """
    global _queue, _given  # an initialiser cannot return anything
    _queue, _given = queue, given
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # cleans up on its way out
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End with the parent: the workers of a killed run would otherwise wait for work forever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _in_worker(work: Callable[..., Made], piece: Piece) -> Made | AssayError:
    """Return the result, or the error."""
    try:
        return work(piece, lambda *message: _queue.put(message), *_given)
    except AssayError as error:
        return error
    finally:
        release_memory()  # an idle process should not keep what it needed for the piece


def _listen(queue: Any, said: Said) -> None:
    try:
        said(*queue.get(timeout=0.2))
    except Empty:
        return
