"""Run the model's code in a child process and return its results.

Protection: a time limit; on Linux and macOS limits on processor time and file size; on
Linux a memory limit and, if the system allows user namespaces, no network and no access
to this folder, which has the tests. The child gets no environment variables, and it
never gets the expected results.

No protection: the code can read your other files, write files, start processes that
outlive it, and attack the kernel. macOS and Windows limit neither memory nor network
and do not hide the tests, and Windows limits only the time. For code that may
be hostile, run the whole environment in a container or a virtual machine.
"""

import builtins
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

TIME_LIMIT_S = 5.0
MEMORY_LIMIT_BYTES = 512 * 1024 * 1024
OUTPUT_LIMIT_BYTES = 64 * 1024
# From <linux/sched.h>: new user, mount and network namespaces.
NEW_NAMESPACES = 0x10000000 | 0x00020000 | 0x40000000
CAPABILITY_VERSION = 0x20080522


class CodeError(Exception):
    """The code cannot run, or reached a limit. The message is for the model."""


def run_function(
    code: str,
    name: str,
    calls: list[list[Any]],
    time_limit_s: float = TIME_LIMIT_S,
) -> list[Any]:
    """Return what the function `name` in `code` returns for the arguments of each call,
    as JSON values.

    Raises CodeError when a call fails, or when all calls together take too long."""
    job = json.dumps({"code": code, "name": name, "calls": calls})
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        child = subprocess.Popen(
            [sys.executable, "-I", str(Path(__file__).resolve())],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env={"SYSTEMROOT": os.environ.get("SYSTEMROOT", "")},
            start_new_session=True,
        )
        try:
            child.communicate(job.encode(), timeout=time_limit_s)
        except subprocess.TimeoutExpired:
            raise CodeError(f"no result within {time_limit_s:g} s") from None
        finally:
            end(child)
        output.seek(0)
        text = output.read(OUTPUT_LIMIT_BYTES + 1)
    return read_result(text, len(calls))


def read_result(text: bytes, count: int) -> list[Any]:
    """Read the child's output. The code could have written anything."""
    try:
        result = json.loads(text)
    except (ValueError, RecursionError):
        raise CodeError("the code ended without a result") from None
    match result:
        case {"error": str(error)}:
            raise CodeError(error)
        case {"values": list(values)} if len(values) == count:
            return values
        case _:
            raise CodeError("the code ended without a result")


def end(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and all processes of its group."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()


def limit_resources() -> None:
    """Limit this process as far as the system allows."""
    try:
        import resource
    except ImportError:  # Windows
        return
    seconds = int(TIME_LIMIT_S) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_LIMIT_BYTES, OUTPUT_LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        limit = (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES)
        resource.setrlimit(resource.RLIMIT_AS, limit)
        hide_network_and_tests()


def hide_network_and_tests() -> None:
    """Leave the network, and cover this folder with an empty one. Does nothing if the
    system forbids user namespaces."""
    libc = ctypes.CDLL(None)
    if libc.unshare(NEW_NAMESPACES) != 0:
        return
    folder = os.fsencode(Path(__file__).resolve().parent)
    libc.mount(b"none", folder, b"tmpfs", 0, None)
    # Without capabilities, the code cannot uncover it.
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    libc.capset(header, (ctypes.c_uint32 * 6)())


def serve_job() -> None:
    """Act as the child: read a job, run it, write the result."""
    limit_resources()
    job = json.load(sys.stdin)
    # Keep the code's output out of the result.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        names: dict[str, Any] = {"__builtins__": builtins, "__name__": "answer"}
        exec(compile(job["code"], "answer.py", "exec"), names)
        function = names.get(job["name"])
        if not callable(function):
            raise TypeError(f"there is no function {job['name']}")
        result = {"values": [function(*arguments) for arguments in job["calls"]]}
        text = json.dumps(result)
    except BaseException as error:
        text = json.dumps({"error": f"{type(error).__name__}: {error}"[:500]})
    output.write(text)
    output.flush()
    os._exit(0)


if __name__ == "__main__":
    serve_job()
