"""An engine process, `fairstream serve`, with or without keys, and what it takes of memory, descriptors and time."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from support import Context, Failed

PATIENCE = 120  # seconds for anything that must happen
TICK = 1 / os.sysconf("SC_CLK_TCK")
MEBIBYTE = 1 << 20
SOCKETS = ("ingest", "updates", "control")


class Served:
    """Within the block an engine runs on ports of 127.0.0.1 that the system chose. `settings` is the configuration
    without endpoints and keys, by section of TOML; `clients` are the lists of public keys under [security], none of
    them: an engine without keys."""

    def __init__(
        self,
        context: Context,
        settings: dict[str, str],
        clients: dict[str, list[str]] | None = None,
        descriptors: int | None = None,
    ):
        self.program = context.program("fairstream")
        self.folder = Path(tempfile.mkdtemp(prefix="served-", dir=context.scratch))
        self.descriptors = descriptors
        self.server_key = ""
        sections = {name: f'endpoint = "tcp://127.0.0.1:*"\n{settings.get(name, "")}' for name in SOCKETS}
        if clients is not None:
            keys = self.folder / "engine.keys"
            made = subprocess.run([self.program, "keys", str(keys)], capture_output=True, text=True, check=True)
            self.server_key = made.stdout.strip()
            lists = "".join(f"{role} = {keys!r}\n".replace("'", '"') for role, keys in clients.items())
            sections["security"] = f'keys = "{keys}"\n{lists}'
        sections["recording"] = settings.get("recording", "")
        parts = [settings["engine"]] + [f"[{name}]\n{text}" for name, text in sections.items()]
        (self.folder / "engine.toml").write_text("\n".join(parts))

    def __enter__(self) -> Served:
        def limit() -> None:
            if self.descriptors is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))

        command = [self.program, "serve", "--config", str(self.folder / "engine.toml")]
        command += ["--recording", str(self.folder / "served.fairstream")]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=limit)
        deadline = time.monotonic() + PATIENCE
        while " ready\n" not in self.log():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                raise Failed("the engine does not start")
            time.sleep(0.02)
        self.endpoints = {name: self._logged(rf"{name} +(tcp://\S+)") for name in SOCKETS}
        self.ports = [endpoint.rsplit(":", 1)[1] for endpoint in self.endpoints.values()]
        self.bound = int(self._logged(r"hold ([\d,]+) MiB").replace(",", "")) * MEBIBYTE
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder)

    def _logged(self, pattern: str) -> str:
        found = re.search(pattern, self.log())
        if not found:
            raise Failed(f"the engine does not say '{pattern}':\n{self.log()}")
        return found.group(1)

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def counted(self, what: str) -> int:
        """The number that the last lines of the log, of an engine that was stopped, say before these words."""
        found = re.findall(rf"([\d,]+) {what}", self.log())
        return int(found[-1].replace(",", "")) if found else 0

    def require_alive(self) -> None:
        if self.process.poll() is not None:
            raise Failed(f"the engine ended with exit code {self.process.returncode}:\n{self.log()[-2000:]}")

    def stop(self) -> None:
        """Ends it as SIGTERM does; its memory can no longer be asked for."""
        self.require_alive()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"the engine does not stop in {PATIENCE} s") from error
        if code != 0:
            raise Failed(f"the engine ended with exit code {code}:\n{self.log()[-2000:]}")

    def memory(self, field: str) -> int:
        """Bytes of a field of /proc/PID/status: VmRSS, or its peak VmHWM."""
        self.require_alive()
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+) kB", status).group(1)) * 1024

    def open_descriptors(self) -> int:
        self.require_alive()
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_seconds(self) -> float:
        """User and system, all threads."""
        self.require_alive()
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return TICK * (int(fields[11]) + int(fields[12]))


class Commanded:
    """A program that says "ready", and then one line for each line that it is given, to its end."""

    def __init__(self, command: list[str], given: str = ""):
        self.command = command
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if given:
            self.tell(given)

    def __enter__(self) -> Commanded:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def tell(self, text: str) -> None:
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def line(self) -> str:
        line = self.process.stdout.readline().strip()
        if not line:
            raise Failed(f"{' '.join(self.command[:2])} ended: {self.process.stderr.read().strip()}")
        return line

    def ask(self, text: str) -> str:
        self.tell(text + "\n")
        return self.line()

    def end(self) -> str:
        """Its last words."""
        out, errors = self.process.communicate(timeout=2 * PATIENCE)
        if self.process.returncode != 0:
            raise Failed(f"{' '.join(self.command[:2])} exited with {self.process.returncode}: {errors.strip()}")
        return out.strip()


def key_pairs(context: Context, count: int) -> list[tuple[str, str]]:
    """So many, public and secret."""
    made = subprocess.run(
        [context.program("bench_strangers"), "keys", str(count)], capture_output=True, text=True, check=True
    )
    return [tuple(line.split()) for line in made.stdout.splitlines()]
