# SPDX-License-Identifier: BSD-2-Clause
"""The folder, the ports and the processes of one lab.

    with Lab() as lab:
        lab.start("nsd", [...], ready=lambda: ...)

Whatever ends the with block (an exception, SIGINT and SIGTERM among them)
stops the processes in the reverse order of their start and removes the folder.
"""
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time

STOP_TIMEOUT = 20
START_TIMEOUT = 20


class LabError(Exception):
    """Something of the lab did not start, stop or answer."""


class Process:
    """One started program; its output is in `log`."""

    def __init__(self, name, popen, log, end, clean):
        self.name = name
        self.popen = popen
        self.log = log
        self.end = end
        self.clean = clean

    @property
    def pid(self):
        return self.popen.pid

    def signal(self, number):
        self.popen.send_signal(number)

    def alive(self):
        return self.popen.poll() is None

    def tail(self, lines=20):
        with open(self.log, errors="replace") as f:
            return "".join(f.readlines()[-lines:])

    def wait(self, timeout=STOP_TIMEOUT):
        return self.popen.wait(timeout)

    def stop(self):
        """Asks it to end, and ends it and its children if it does not."""
        if self.alive():
            self.signal(self.end)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.wait()
        # Children share its session, which start() made; a group outlives
        # its leader only as long as one of them is left.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.popen.wait()


class Lab:
    def __init__(self, keep=False, directory=None):
        self.keep = keep
        self.dir = directory
        self.processes = []
        self.unclean = []  # (name, exit status, end of its log)
        self.closing = contextlib.ExitStack()
        self._ports = set()
        self._signals = {}
        self._guardian = None

    def __enter__(self):
        if self.dir is None:
            self.dir = tempfile.mkdtemp(prefix="signpost-lab.")
        else:
            os.makedirs(self.dir)
        # Daemons that run as other users must get through.
        os.chmod(self.dir, 0o711)
        self._guardian = _Guardian(None if self.keep else self.dir)
        for number in (signal.SIGTERM, signal.SIGHUP):
            self._signals[number] = signal.signal(number, _raise_interrupt)
        return self

    def __exit__(self, *exc):
        # A second signal must not cut the clean-up short.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._signals.setdefault(number, signal.getsignal(number))
            signal.signal(number, signal.SIG_IGN)
        try:
            self.closing.close()
            for process in reversed(self.processes):
                self._end(process)
            self._guardian.dismiss()
        finally:
            if not self.keep:
                shutil.rmtree(self.dir, ignore_errors=True)
            for number, handler in self._signals.items():
                signal.signal(number, handler)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def make_dir(self, *parts, mode=0o755):
        path = self.path(*parts)
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
        return path

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb" if isinstance(text, bytes) else "w") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def port(self):
        """A port of loopback that nothing uses, for TCP and for UDP.

        Below the range from which the kernel takes ports for clients, so that
        it stays free until it is used."""
        for _ in range(1000):
            port = random.SystemRandom().randrange(10240, 32000)
            if port not in self._ports and _is_free(port):
                self._ports.add(port)
                return port
        raise LabError("no free port on loopback")

    def start(self, name, argv, ready=None, env=None, end=signal.SIGTERM,
              clean=False):
        """Starts a program that stays in the foreground; `end` ends it, and
        it is noted in self.unclean if it is `clean` and does not exit 0."""
        log = self.path("log", name + ".log")
        os.makedirs(os.path.dirname(log), exist_ok=True)
        with open(log, "ab") as output:
            popen = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env={**os.environ, **(env or {})}, cwd=self.dir,
                start_new_session=True)
        self._guardian.tell(b"+", popen.pid)
        process = Process(name, popen, log, end, clean)
        self.processes.append(process)
        if ready is not None:
            self.wait_for(ready, "%s to start" % name, process=process)
        return process

    def stop(self, process):
        self._end(process)
        self._guardian.tell(b"-", process.pid)
        self.processes.remove(process)

    def _end(self, process):
        process.stop()
        status = process.popen.returncode
        if process.clean and status != 0:
            self.unclean.append((process.name, status, process.tail(60)))

    def wait_for(self, condition, what, timeout=START_TIMEOUT, process=None):
        """Waits until `condition` holds; `process` must live that long."""
        end = time.monotonic() + timeout
        while True:
            value = condition()
            if value:
                return value
            if process is not None and not process.alive():
                raise LabError("%s ended with %d:\n%s" % (
                    process.name, process.popen.returncode, process.tail()))
            if time.monotonic() > end:
                raise LabError("waited %d s for %s%s" % (
                    timeout, what,
                    ":\n" + process.tail() if process is not None else ""))
            time.sleep(0.02)

    def run(self, argv, data=None, check=True, timeout=120, **kwargs):
        """Runs a program to its end and returns what subprocess.run does."""
        done = subprocess.run(
            argv, input=data, capture_output=True, cwd=self.dir,
            timeout=timeout,
            **({"stdin": subprocess.DEVNULL} if data is None else {}),
            **kwargs)
        if check and done.returncode != 0:
            raise LabError("%s: exit %d\n%s%s" % (
                " ".join(argv), done.returncode,
                done.stdout.decode(errors="replace"),
                done.stderr.decode(errors="replace")))
        return done


def listening(address):
    """Whether something accepts connections at a port or a unix socket."""
    if isinstance(address, int):
        family, target = socket.AF_INET, ("127.0.0.1", address)
    else:
        family, target = socket.AF_UNIX, address
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.settimeout(1)
        return s.connect_ex(target) == 0


def _is_free(port):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_INET, kind) as s:
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True


def _raise_interrupt(number, _frame):
    """As Ctrl-C does: unittest takes any other exception for a failure."""
    raise KeyboardInterrupt(number)


class _Guardian:
    """A process that ends the others if this one is killed outright.

    It reads from a pipe which sessions were started ("+N") and stopped
    ("-N"), and cleans up when the pipe ends with some of them left."""

    def __init__(self, folder):
        reader, self._writer = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._writer)
            os.setsid()  # out of reach of the terminal's Ctrl-C
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            _guard(reader, folder)
            os._exit(0)
        os.close(reader)

    def tell(self, sign, leader):
        os.write(self._writer, b"%s%d\n" % (sign, leader))

    def dismiss(self):
        os.write(self._writer, b".\n")
        os.close(self._writer)
        os.waitpid(self._pid, 0)


def _guard(reader, folder):
    leaders = set()
    for line in os.fdopen(reader, "rb"):
        if line == b".\n":
            return
        change = leaders.add if line[:1] == b"+" else leaders.discard
        change(int(line[1:]))
    for number, patience in ((signal.SIGTERM, 3), (signal.SIGKILL, 0)):
        for leader in leaders:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(leader, number)
        time.sleep(patience)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
