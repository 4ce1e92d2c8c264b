"""Processes that begin with their imports behind them: forked, where a moment would spend most of
its time on loading torch.

A process of the job is then a fork of the bench, or of the launcher that would have started it, and
runs the module that its command names as ``__main__``: what it computes, sends, writes and catches
is as it is behind a fresh interpreter. What is not seen so is a fault that falls into the imports,
so that moments before a job has written anything begin with fresh interpreters.
"""

from __future__ import annotations

import atexit
import importlib
import os
import runpy
import signal
import subprocess
import sys
import threading
import traceback
import warnings
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def load(modules: Sequence[str]) -> None:
    """Import what jobs import, once for all of their processes."""
    for name in modules:
        importlib.import_module(name)


class ForkedProcess(subprocess.Popen[Any]):
    """As :class:`subprocess.Popen` of ``python [-u] -m MODULE ARGUMENTS``, forked from this
    process, in a session of its own."""

    def __init__(
        self, args: Sequence[str], env: Mapping[str, str], cwd: str | None = None,
        stdout: int | None = None, stderr: int | None = None, start_new_session: bool = True,
    ) -> None:  # fmt: skip
        assert start_new_session
        words = [str(word) for word in args[1:] if word != "-u"]
        assert words[0] == "-m", args
        self.args, self.returncode = args, None
        self.stdin = self.stdout = self.stderr = None
        self._child_created, self._waitpid_lock = True, threading.Lock()  # Popen's own
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if not self.pid:
            _become(words[1:], env, cwd, stdout, stderr)


def _become(
    words: Sequence[str], env: Mapping[str, str], cwd: str | None, stdout: int | None,
    stderr: int | None,
) -> NoReturn:  # fmt: skip
    """In the forked process: what a fresh interpreter has, then the module, then the end."""
    code: object = 1
    try:
        os.setsid()
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(env)
        if cwd:
            os.chdir(cwd)
        for to, source in ((1, stdout), (2, stderr)):
            if source is not None:
                os.dup2(source, to)
        os.closerange(3, 4096)
        for finalizer in list(weakref.finalize._registry):  # type: ignore[attr-defined]
            finalizer.atexit = False  # of what the parent will remove, folders among them
        sys.argv = list(words)
        warnings.filterwarnings("ignore", ".*found in sys.modules.*", RuntimeWarning)
        children_too()
        code = 0
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as error:
        code = error.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    with suppress(BaseException):
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def children_too() -> None:
    """Ranks that torchrun starts in this process are forked as well."""
    handler = sys.modules.get(
        "torch.distributed.elastic.multiprocessing.subprocess_handler.subprocess_handler"
    )
    if handler is not None:
        handler.Popen = ForkedProcess  # type: ignore[attr-defined]
