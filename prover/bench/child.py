"""The process of one job: builds the model, asks, has the certificate checked, and reports every step.

It reads a job as JSON from standard input, and writes JSON objects, one a line, to what was its standard
output: ``asked`` when the model is there; ``proved`` with bounds on the way; ``answered`` with the answer and
what it took; ``checked`` after the certificate was; and ``failed`` in place of any of these.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from prover.bench.job import Job, build_model, decoded, placeholders
from prover.bench.machine import peak_memory, versions
from prover.bench.result import interval
from prover.bench.tool import Tool, read_answer, read_seconds
from prover.errors import BadInput, quoted
from prover.formats.convert import convert, write_json
from prover.parallel import begin_fresh, end_with

Send = Callable[..., None]

MODEL = "model"

_LONGEST_OUTPUT = 16 * 2**20  # bytes that a tool may print


def main() -> None:
    """Do the job that standard input holds, for the process that is the only argument, in this folder."""
    send = _sender(begin_fresh())
    do(decoded(sys.stdin.read()), send)


def do(job: Job, send: Send) -> None:
    """Do a job in this folder; tells of every step on the way, and of what prevents it."""
    try:
        if job.tool is None:
            ask(job, send)
        else:
            _call(job, job.tool, send)
    except BadInput as error:
        send("failed", status="error", error=f"{type(error).__name__}: {error}")
    except MemoryError:
        send("failed", status="memory", error="no memory is left")
    except Exception as error:  # noqa: BLE001  one job must not end the others
        send("failed", status="error", error=f"{type(error).__name__}: {error}")


def _sender(descriptor: int) -> Send:
    def send(step: str, **fields: object) -> None:
        data = json.dumps({"step": step, **fields}).encode() + b"\n"
        while data:
            data = data[os.write(descriptor, data) :]

    return send


def ask(job: Job, send: Send) -> None:
    """Have the prover answer; tells of every step on the way."""
    from prover.bench.question import QUESTIONS

    question = QUESTIONS[job.question]
    model = build_model(job.model, job.parameters, job.reading, job.folder)
    for library in question.libraries:
        importlib.import_module(library)
    send("asked", versions=versions())
    began, began_cpu = time.perf_counter(), time.process_time()
    answer = question.ask(
        model,
        job.options,
        job.engine,
        lambda proved: send("proved", **question.result(proved, job.options).fields()),
    )
    answered = time.perf_counter()
    result = question.result(answer, job.options)
    writing = time.perf_counter()
    certificate = result.make_certificate()
    written, written_cpu = time.perf_counter(), time.process_time()
    send(
        "answered",
        **result.fields(),
        seconds=written - writing + answered - began,
        cpu_seconds=written_cpu - began_cpu,
        certificate_seconds=written - writing,
        certificate_bytes=None if certificate is None else len(certificate.data),
        peak_mib=peak_memory(),
    )
    if certificate is not None:
        send("checked", **_checked(certificate.data))


def _checked(data: bytes) -> dict[str, Any]:
    from prover.certificate.check import Rejected, check

    gc.freeze()  # who checks has not found the answer before: garbage collection passes over what that left
    began, began_cpu = time.perf_counter(), time.process_time()
    try:
        check(data)
    except Rejected as error:
        return {"rejected": f"{type(error).__name__}: {error}"}
    return {
        "check_seconds": time.perf_counter() - began,
        "check_cpu_seconds": time.process_time() - began_cpu,
    }


def _call(job: Job, tool: Tool, send: Send) -> None:
    """Have a tool answer; its model file stands in this folder."""
    source = Path.cwd() / f"{MODEL}.json"
    source.write_text(
        write_json(build_model(job.model, job.parameters, job.reading, job.folder)), encoding="ascii"
    )
    file = source.with_suffix(f".{tool.format}")
    if file != source:
        convert(source, file)
    words = tool.words(placeholders(job, str(file)))
    me = os.getpid()
    send("asked", versions=versions())
    began = time.perf_counter()
    try:
        process = subprocess.Popen(  # noqa: S603  the suite says which program
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: end_with(me),
        )
    except OSError as error:
        problem = f"tool {tool.name} cannot be started: {quoted(words[0])}: {error.strerror}"
        send("failed", status="error", error=problem)
        return
    with process:
        output = b"" if process.stdout is None else process.stdout.read(_LONGEST_OUTPUT + 1)
        if len(output) > _LONGEST_OUTPUT:
            process.kill()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = {"seconds": time.perf_counter() - began, "cpu_seconds": used.ru_utime + used.ru_stime}
    if len(output) > _LONGEST_OUTPUT:
        problem = f"tool {tool.name} prints more than {_LONGEST_OUTPUT:,} bytes"
        send("failed", status="error", error=problem, **took)
        return
    if process.returncode not in tool.statuses:
        ended = process.returncode
        how = f"signal {-ended}" if ended < 0 else f"exit status {ended}"
        send("failed", status="crash", error=f"tool {tool.name} ended with {how}", **took)
        return
    said = output.decode("utf-8", "replace")
    lower, upper = read_answer(tool, said)
    seconds = read_seconds(tool, said)
    if seconds is not None:
        took = dict.fromkeys(took, seconds)
    send("answered", **interval(lower, upper).fields(), **took)


if __name__ == "__main__":
    main()
