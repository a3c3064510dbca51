"""Real database servers on loopback, each in a folder of its own that goes with the test run."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

USER, PASSWORD = "me", "s3cret pw"


def binary(*names: str) -> str | None:
    """A program of a server: on the path, or where Debian puts it; the newest."""
    for name in names:
        places = [*sorted(str(path) for path in Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), f"/usr/sbin/{name}"]
        found = [path for path in (*reversed(places), shutil.which(name)) if path and Path(path).exists()]
        if found:
            return found[0]
    return None


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def owned_folder(user: str) -> Iterator[tuple[Path, str | None]]:
    """A folder for a server, and the user to run it as: servers refuse to run as root.

    None of pytest's own, which every new session of the same user closes to all others.
    """
    folder = Path(tempfile.mkdtemp(prefix="stratagraph-server-"))
    try:
        if os.geteuid() != 0:
            yield folder, None
        else:
            folder.chmod(0o755)
            shutil.chown(folder, user)
            yield folder, user
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running(command: list[str], url: sa.URL, user: str | None, folder: Path) -> Iterator[sa.URL]:
    """A server, from when it answers until it has ended."""
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, user=user, cwd=folder, stdout=log, stderr=log)
    engine = sa.create_engine(url)
    try:
        for _ in range(300):
            try:
                with engine.connect():
                    break
            except sa.exc.OperationalError:
                if process.poll() is not None:
                    raise
                time.sleep(0.1)
        engine.dispose()
        yield url
    finally:
        process.send_signal(signal.SIGINT if "postgres" in command[0] else signal.SIGTERM)  # PostgreSQL's fast shutdown
        process.wait(60)


@contextmanager
def postgres() -> Iterator[sa.URL]:
    """PostgreSQL; skips the test where it or its driver is not installed."""
    pytest.importorskip("psycopg2", reason="the PostgreSQL driver is not installed")
    initdb, server = binary("initdb"), binary("postgres")
    if not (initdb and server):
        pytest.skip("no PostgreSQL server (initdb, postgres) on this machine; `make databases` installs it")
    with owned_folder("postgres") as (folder, user):
        (folder / "password").write_text(PASSWORD)
        (folder / "password").chmod(0o644)
        port, data = free_port(), str(folder / "data")
        options = ["-U", USER, f"--pwfile={folder / 'password'}", "--auth=scram-sha-256", "-E", "UTF8", "--no-sync", "-D", data]
        subprocess.run([initdb, *options], check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL)
        url = sa.URL.create("postgresql+psycopg2", USER, PASSWORD, "127.0.0.1", port, "postgres")
        with running([server, "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", str(folder), "-F"], url, user, folder):
            yield url


@contextmanager
def mariadb() -> Iterator[sa.URL]:
    """MariaDB; skips the test where it or a driver is not installed."""
    pytest.importorskip("pymysql", reason="the MySQL driver is not installed")
    install, server = binary("mariadb-install-db", "mysql_install_db"), binary("mariadbd", "mysqld")
    if not (install and server):
        pytest.skip("no MariaDB server (mariadbd, mariadb-install-db) on this machine; `make databases` installs it")
    with owned_folder("mysql") as (folder, user):
        port, data = free_port(), f"--datadir={folder / 'data'}"
        prepare = [install, "--no-defaults", data, "--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run(prepare, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        root = sa.URL.create("mysql+pymysql", "root", None, "127.0.0.1", port, query={"charset": "utf8mb4"})
        command = [
            server, "--no-defaults", data, f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder / 'socket'}",
            f"--pid-file={folder / 'pid'}", "--skip-name-resolve", "--innodb-flush-log-at-trx-commit=0", "--skip-log-bin",
        ]  # fmt: skip
        with running(command, root, user, folder):
            run(root, f"CREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}'", f"GRANT ALL ON *.* TO {USER}@'%'")
            yield root.set(username=USER, password=PASSWORD)


def run(url: sa.URL, *statements: str) -> None:
    """Run statements; PostgreSQL takes a whole script as one."""
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection, connection.connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)  # as it stands: % is no placeholder
    engine.dispose()
