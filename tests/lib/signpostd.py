# SPDX-License-Identifier: BSD-2-Clause
"""A signpostd of a test's own: keys, configuration, process."""
import base64
import contextlib
import grp
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import milter_client

BUILD = os.environ.get("TOP_BUILDDIR", "../..")
SIGNPOSTD = os.path.join(BUILD, "milter", "signpostd")



def _is_sanitized():
    with open(SIGNPOSTD, "rb") as f:
        program = f.read()
    return any(name in program for name in (b"__asan_init", b"__tsan_init"))


# A sanitizer slows everything down, and keeps memory that was freed.
SANITIZED = _is_sanitized()
PATIENCE = 5 if SANITIZED else 1


class Key:
    """A private key in PEM and its record."""

    def __init__(self, algorithm, bits=2048):
        kind = (["-algorithm", "ed25519"] if algorithm == "ed25519" else
                ["-algorithm", "rsa", "-pkeyopt",
                 "rsa_keygen_bits:%d" % bits])
        self.pem = subprocess.run(
            ["openssl", "genpkey", *kind], check=True,
            capture_output=True).stdout
        public = subprocess.run(
            ["openssl", "pkey", "-pubout", "-outform", "DER"], check=True,
            input=self.pem, capture_output=True).stdout
        if algorithm == "ed25519":
            public = public[-32:]
        self.record = "v=DKIM1; k=%s; p=%s" % (
            algorithm, base64.b64encode(public).decode())


def quote(value):
    """A value in libconfig's syntax."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, str):
        return '"%s"' % value.replace("\\", "\\\\").replace('"', '\\"')
    if isinstance(value, dict):
        return "{ %s }" % " ".join(
            "%s = %s;" % item for item in
            ((name, quote(v)) for name, v in value.items()))
    if isinstance(value, tuple):
        return "( %s )" % ", ".join(map(quote, value))
    return "[ %s ]" % ", ".join(map(quote, value))


class Daemon:
    """signpostd in the foreground, in a folder that goes away with it."""

    def __init__(self, keys=None, dns_port=None, tcp=False, **settings):
        """keys: {(domain, selector): Key}; a setting that is a dictionary
        adds to the group of that name."""
        self.dir = tempfile.mkdtemp(prefix="signpostd.")
        self.process = None
        for (domain, selector), key in (keys or {}).items():
            self.write_key(domain, selector, key)
        os.makedirs(os.path.join(self.dir, "keys"), exist_ok=True)
        user = pwd.getpwuid(os.getuid()).pw_name
        group = grp.getgrgid(os.getgid()).gr_name
        if tcp:
            self.address = ("127.0.0.1", free_port())
            name = "inet:%d@127.0.0.1" % self.address[1]
        else:
            self.address = os.path.join(self.dir, "milter.sock")
            name = "unix:" + self.address
        self.status = os.path.join(self.dir, "status.sock")
        self.settings = {
            "socket": name, "socket_mode": "0600", "socket_group": "",
            "user": user, "group": group, "authserv_id": "mx.test",
            "trusted_networks": ["127.0.0.0/8", "::1"],
            "key_directory": os.path.join(self.dir, "keys"),
            "dns": {"servers": ["127.0.0.1@%d" % dns_port] if dns_port else
                    ["127.0.0.1@9"], "dnssec": False, "timeout": "2s"},
            "limits": {"max_wait": "5s", "stop_timeout": "20s"},
            "workers": {"threads": 2},
            "status": {"socket": "unix:" + self.status},
            "log": {"to": "stderr"},
        }
        self.configure(**settings)

    def write_key(self, domain, selector, key):
        folder = os.path.join(self.dir, "keys", domain)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path = os.path.join(folder, selector + ".pem")
        with open(path, "wb", opener=lambda p, f: os.open(p, f, 0o600)) as f:
            f.write(key.pem)
        return path

    def configure(self, **settings):
        for name, value in settings.items():
            if isinstance(value, dict) and name in self.settings:
                self.settings[name] = {**self.settings[name], **value}
            else:
                self.settings[name] = value
        self.write_config("".join(
            "%s = %s;\n" % (name, quote(value))
            for name, value in self.settings.items()))

    @property
    def config(self):
        return os.path.join(self.dir, "signpost.conf")

    @property
    def log_path(self):
        return os.path.join(self.dir, "log")

    def write_config(self, text):
        # Whole or not at all: a reload may be reading it.
        with open(self.config + ".new", "w") as f:
            f.write(text)
        os.rename(self.config + ".new", self.config)

    def run(self, *options, under=()):
        """signpostd with this configuration, to its end; under: a command
        that runs it, with its arguments."""
        return subprocess.run(
            [*under, SIGNPOSTD, "-c", self.config, *options], capture_output=True,
            text=True, timeout=60 * PATIENCE)

    def start(self, *options, wait=True, under=()):
        """under: a command that runs it, with its arguments."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*under, SIGNPOSTD, "-c", self.config, "-f", *options],
                stderr=log,
                stdin=subprocess.DEVNULL, stdout=log)
        if wait:
            self.wait_for(self.answers, "signpostd to start")
        return self

    def start_and_wait_for(self, log):
        """The same where the configuration names LOG, a file."""
        self.start(wait=False)

        def serves():
            with contextlib.suppress(FileNotFoundError), open(log) as f:
                text = f.read()
                return text.count(" serves ") > text.count("signpostd ends")
            return False
        self.wait_for(serves, "signpostd to start")

    def answers(self):
        if self.process.poll() is not None:
            raise AssertionError("signpostd ended with %d:\n%s" % (
                self.process.returncode, self.log()))
        return " serves " in self.log()

    def wait_for(self, condition, what, timeout=15):
        end = time.monotonic() + timeout * PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(
                    "waited for %s:\n%s" % (what, self.log()))
            time.sleep(0.01)

    def log(self):
        with contextlib.suppress(FileNotFoundError):
            with open(self.log_path, errors="replace") as f:
                return f.read()
        return ""

    def mta(self, **negotiation):
        """A negotiated connection."""
        mta = milter_client.Mta(self.address, timeout=30 * PATIENCE)
        try:
            return mta.negotiate(**negotiation)
        except BaseException:
            mta.close()
            raise

    def kill(self, number):
        self.process.send_signal(number)

    def reload(self, word="read again"):
        """Has it read its configuration again, and waits until it logs WORD."""
        count = self.log().count(word)
        self.kill(signal.SIGHUP)
        self.wait_for(lambda: self.log().count(word) > count, word)

    @contextlib.contextmanager
    def under_mail(self, headers, body, connections=4):
        """Messages of ours on so many CONNECTIONS, one behind the other, while
        the block runs; after it the list has all their results."""
        end = threading.Event()
        results = []

        def load():
            with self.mta() as mta:
                mta.connect("localhost", "127.0.0.1")
                while not end.is_set():
                    results.append(mta.message(headers, body))

        threads = [threading.Thread(target=load) for _ in range(connections)]
        for thread in threads:
            thread.start()
        try:
            yield results
        finally:
            end.set()
            for thread in threads:
                thread.join()

    def memory(self, what="VmHWM"):
        """Octets of memory that the process has ever had (VmRSS: has)."""
        with open("/proc/%d/status" % self.process.pid) as f:
            for line in f:
                if line.startswith(what + ":"):
                    return int(line.split()[1]) * 1024
        raise AssertionError("no " + what)

    def cpu_seconds(self):
        with open("/proc/%d/stat" % self.process.pid) as f:
            times = f.read().rsplit(")", 1)[1].split()[11:13]
        return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")

    def metrics(self):
        """The page of metrics, {line without its value: value}."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(10 * PATIENCE)
            s.connect(self.status)
            s.sendall(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
            page = b""
            while True:
                data = s.recv(65536)
                if not data:
                    break
                page += data
        body = page.split(b"\r\n\r\n", 1)[1].decode()
        return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1])
                for line in body.splitlines() if not line.startswith("#")}

    def stop(self, number=signal.SIGTERM):
        """Ends it and returns its exit code."""
        if self.process.poll() is None:
            self.kill(number)
        return self.process.wait(60 * PATIENCE)

    def close(self):
        """Ends it, sees to it that it ended well, and removes its folder."""
        try:
            if self.process is not None:
                code = self.stop()
                log = self.log()
                assert code == 0, "exit %d:\n%s" % (code, log)
                assert "Sanitizer" not in log, log
        finally:
            if self.process is not None and self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            shutil.rmtree(self.dir)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
