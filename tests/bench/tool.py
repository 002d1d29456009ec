"""A stand-in for other people's tools: prints a value, or fails in the way it is told to.

tool.py print TEXT | echo FILE | flood TEXT | exit STATUS | die SIGNAL | sleep SECONDS | spawn SECONDS
        | fill MEBIBYTES
"""

import os
import subprocess
import sys
import time


def main(what: str, given: str) -> None:
    if what == "print":
        print(given)
    elif what == "echo":
        with open(given, encoding="utf-8") as file:  # noqa: PTH123  a tool of few imports starts quickly
            print("value: 1\n" + file.read())
    elif what == "exit":
        sys.exit(int(given))
    elif what == "die":
        os.kill(os.getpid(), int(given))
    elif what == "sleep":
        time.sleep(float(given))
    elif what == "spawn":
        subprocess.run([sys.executable, __file__, "sleep", given], check=True)
    elif what == "flood":
        while True:
            print(given * 1000)
    elif what == "fill":
        held = []
        for _ in range(int(given)):
            held.append(b"x" * 2**20)
            time.sleep(0.0005)
        print("value: 1")


if __name__ == "__main__":
    main(*sys.argv[1:])
