# SPDX-License-Identifier: GPL-2.0
"""QEMU's control connection (QMP), by a socket in the file system."""
import json
import socket


class Control:
    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(60)
        self._socket.connect(path)
        self._file = self._socket.makefile("rw")
        self._file.readline()
        self.ask("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self._file.close()
        self._socket.close()

    def ask(self, command, **arguments):
        """Gives a command and returns its result."""
        self._file.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        self._file.flush()
        while True:
            line = self._file.readline()
            if not line:
                raise EOFError("the machine has ended")
            answer = json.loads(line)
            if "error" in answer:
                raise RuntimeError(answer["error"]["desc"])
            if "return" in answer:
                return answer["return"]

    def monitor(self, line, cpu=0):
        """The same of the monitor for people; returns text."""
        return self.ask("human-monitor-command", **{"command-line": line, "cpu-index": cpu})
