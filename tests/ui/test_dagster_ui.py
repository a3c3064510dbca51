"""A person's way through the Dagster UI, in a real browser: see the asset graph, launch the job, see it and its checks green.

The verdict on the run comes from GraphQL; what the page shows is asserted on its text, since the page's classes are hashed.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver

CHECKOUT = Path(__file__).parents[2]
SCREENSHOT = CHECKOUT / "docs" / "images" / "dagster.png"
BROWSER_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1900,1300", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

ZOOM_OUT = "//button[.//*[@aria-label='zoom_out']]"

pytestmark = [pytest.mark.ui, pytest.mark.timeout(900)]

CHECKS_QUERY = """{ assetNodes { assetKey { path } assetChecksOrError { ... on AssetChecks { checks {
  name blocking executionForLatestMaterialization { status evaluation { severity } } } } } } }"""


@dataclass(frozen=True)
class Server:
    """A running `dagster dev`."""

    url: str
    log: Path

    def ask(self, query: str) -> dict[str, Any]:
        """One GraphQL query."""
        request = urllib.request.Request(
            f"{self.url}/graphql", json.dumps({"query": query}).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as response:
            answer: dict[str, Any] = json.load(response)
        assert not answer.get("errors"), answer
        return answer["data"]


def eventually(what: str, ask: Callable[[], Any], seconds: float) -> Any:
    """Ask until the answer is true; what cannot be asked yet counts as no."""
    last: object = None
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            last = ask()
        except OSError as error:
            last = error
        if last and not isinstance(last, OSError):
            return last
        time.sleep(0.5)
    raise AssertionError(f"not within {seconds} s: {what}; last answer: {last!r}")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`dagster dev` as `make ui` starts it (a launched run waits in a queue that the daemon empties), on data of its own."""
    home = tmp_path_factory.mktemp("home")
    (home / "dagster.yaml").symlink_to(CHECKOUT / "dagster.yaml")
    environment = os.environ | {
        "DAGSTER_HOME": str(home),
        "STRATAGRAPH_CONFIG": str(CHECKOUT / "examples" / "demo" / "stratagraph.yaml"),
        "STRATAGRAPH_DATA_DIR": str(tmp_path_factory.mktemp("data")),
        "DAGSTER_DISABLE_TELEMETRY": "yes",
    }
    subprocess.run([sys.executable, "examples/demo/prepare.py"], cwd=CHECKOUT, check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = home / "dagster-dev.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "dagster", "dev", "-w", "workspace.yaml", "-h", "127.0.0.1", "-p", str(port)],
            cwd=CHECKOUT, env=environment, stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        started = Server(f"http://127.0.0.1:{port}", log)
        eventually("the server answers", lambda: process.poll() is not None or started.ask("{ version }"), 180)
        assert process.poll() is None, log.read_text(encoding="utf-8")[-3000:]
        yield started
    finally:
        stop_session(process)


def stop_session(process: subprocess.Popen[bytes]) -> None:
    """Ask `dagster dev` to end, then end what is left of its session: it leaves children behind."""
    members = [other for other in psutil.process_iter() if other.pid != os.getpid() and _session(other.pid) == process.pid]
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
    for member in members:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue
    psutil.wait_procs(members, timeout=10)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    options = webdriver.ChromeOptions()
    for flag in BROWSER_FLAGS:
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = "/usr/bin/chromium"
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


def page_text(browser: WebDriver) -> str:
    return browser.find_element(By.TAG_NAME, "body").text


def shows(browser: WebDriver, *texts: str) -> Callable[[], bool]:
    return lambda: all(text in page_text(browser) for text in texts)


def click(browser: WebDriver, text: str) -> None:
    """Click the button with this text, as soon as it can be clicked."""
    path = f"//button[contains(normalize-space(.), '{text}')]"

    def clicked() -> bool:
        for button in browser.find_elements(By.XPATH, path):
            if button.is_displayed() and button.is_enabled():
                button.click()
                return True
        return False

    eventually(f"a button {text!r}", clicked, 60)


def latest_run(server: Server) -> dict[str, Any] | None:
    runs = server.ask("{ runsOrError(limit: 1) { ... on Runs { results { runId status jobName } } } }")["runsOrError"][
        "results"
    ]
    return runs[0] if runs else None


def test_launch_the_job_from_the_page(server: Server, browser: WebDriver) -> None:
    browser.get(f"{server.url}/locations/stratagraph/jobs/build")
    eventually("the asset graph of the job", shows(browser, "sources", "statements", "belief", "Materialize all"), 120)
    assert latest_run(server) is None
    click(browser, "Materialize all")
    eventually("the run is known", lambda: latest_run(server), 120)

    def finished() -> str | None:
        run = latest_run(server)
        return run["status"] if run and run["status"] in ("SUCCESS", "FAILURE", "CANCELED") else None

    status = eventually("the run ends", finished, 600)
    assert status == "SUCCESS", server.log.read_text(encoding="utf-8")[-3000:]

    checks = {
        (*node["assetKey"]["path"], check["name"]): (check["blocking"], check["executionForLatestMaterialization"])
        for node in server.ask(CHECKS_QUERY)["assetNodes"]
        for check in (node["assetChecksOrError"].get("checks") or [])
    }
    blocking = {name: execution for name, (blocks, execution) in checks.items() if blocks}
    assert len(blocking) >= 5
    assert {name: execution and execution["status"] for name, execution in blocking.items()} == dict.fromkeys(
        blocking, "SUCCEEDED"
    )

    browser.get(f"{server.url}/assets/publish/snapshot?view=checks")
    eventually("the check is shown green", shows(browser, "snapshot_verifies", "Passed"), 60)


def test_preview_is_shown(server: Server, browser: WebDriver) -> None:
    browser.get(f"{server.url}/assets/graph/edges")
    eventually("the metadata of the edges", shows(browser, "Row count", "preview", "[Show Markdown]"), 60)
    browser.find_element(By.XPATH, "//a[contains(., 'Show Markdown')]").click()
    picture = (
        "return [...document.images].some(i => i.src.startsWith('data:image/svg+xml') && i.complete && i.naturalWidth > 0)"
    )
    eventually("the picture of the graph", lambda: browser.execute_script(picture), 60)


def test_lineage_is_drawn(server: Server, browser: WebDriver) -> None:
    browser.get(f"{server.url}/asset-groups")
    eventually("the groups", shows(browser, "sources", "statements", "belief", "communities", "publish"), 60)
    ActionChains(browser).key_down(Keys.ALT).send_keys("e").key_up(Keys.ALT).perform()  # expands all groups

    def drawn_whole() -> bool:
        """What lies outside the window is not in the page, so zoom out until everything is."""
        if shows(browser, "northwind", "foreign_keys", "row_statements", "answers", "nodes", "search_index", "snapshot")():
            return True
        browser.find_element(By.XPATH, ZOOM_OUT).click()
        return False

    eventually("the whole asset graph", drawn_whole, 60)
    if os.environ.get("STRATAGRAPH_SCREENSHOT"):
        for button in ("//button[contains(., 'Hide navigation')]", ZOOM_OUT):
            browser.find_element(By.XPATH, button).click()
        time.sleep(3)
        SCREENSHOT.parent.mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(SCREENSHOT))


def test_tables_and_versions_of_a_source_are_shown(server: Server, browser: WebDriver) -> None:
    """They are assets once the code location is reloaded after the first load."""
    server.ask('mutation { reloadRepositoryLocation(repositoryLocationName: "stratagraph") { __typename } }')

    def known() -> bool:
        nodes = server.ask("{ assetNodes { assetKey { path } } }")["assetNodes"]
        return ["landing", "northwind", "orders"] in [node["assetKey"]["path"] for node in nodes]

    eventually("the tables are assets", known, 120)
    browser.get(f"{server.url}/assets/landing/northwind/orders")
    eventually(
        "columns, keys and rows of a table",
        shows(browser, "Row count", "830", "CustomerID", "(CustomerID) -> Customers(CustomerID) (declared)"),
        60,
    )
    browser.get(f"{server.url}/assets/landing/executive/versions?view=partitions")
    eventually("a version as a partition", shows(browser, "2021-01-20T165223Z_cee43adbcf.yaml"), 60)
    browser.get(f"{server.url}/assets/landing/northwind?view=checks")
    eventually("the checks of a source", shows(browser, "guard", "keys_hold", "quarantine_share", "Passed"), 60)


def test_the_console_is_quiet(browser: WebDriver) -> None:
    severe = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert severe == []
