"""docker-compose.yml and the workflow: what this machine may be unable to run, checked as far as reading goes."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
SERVERS = ["7.0", "8.0", "9.0"]
TEST_URI = "mongodb://localhost:27017/?replicaSet=rs0"


def load(path: Path) -> dict[str, Any]:
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    # YAML 1.1 reads the key `on` as a truth value; hosted workflows do not.
    return {"on" if key is True else key: value for key, value in loaded.items()}


@pytest.fixture
def mongodb() -> dict[str, Any]:
    service = load(REPOSITORY / "docker-compose.yml")["services"]["mongodb"]
    assert isinstance(service, dict)
    return service


def test_compose_starts_a_replica_set(mongodb: dict[str, Any]) -> None:
    assert mongodb["image"] == "mongo:${MONGODB_VERSION:-8.0}"
    assert mongodb["command"].split()[:4] == ["mongod", "--replSet", "rs0", "--bind_ip_all"]


def test_compose_offers_it_to_this_machine_only(mongodb: dict[str, Any]) -> None:
    assert mongodb["ports"] == ["127.0.0.1:27017:27017"]


def test_compose_initialises_in_the_health_check_under_the_name_that_clients_use(
    mongodb: dict[str, Any],
) -> None:
    command, *arguments, script = mongodb["healthcheck"]["test"]

    assert (command, arguments) == ("CMD", ["mongosh", "--quiet", "--eval"])
    assert 'rs.initiate({_id: "rs0", members: [{_id: 0, host: "localhost:27017"}]})' in script
    assert "isWritablePrimary" in script
    # Compose would replace a dollar sign before mongosh sees it.
    assert "$" not in script


def test_compose_keeps_the_data_in_named_volumes(mongodb: dict[str, Any]) -> None:
    mounted = [volume.split(":") for volume in mongodb["volumes"]]

    assert {target for _, target in mounted} == {"/data/db", "/data/configdb"}
    assert {name for name, _ in mounted} == set(load(REPOSITORY / "docker-compose.yml")["volumes"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_complete_and_has_no_more_rights_than_reading(path: Path) -> None:
    workflow = load(path)

    assert {"name", "on", "permissions", "jobs"} <= set(workflow)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert job["runs-on"]
        assert job["timeout-minutes"] <= 60
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)


def suite_steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for step in job["steps"] if step.get("run") == "scripts/test"]


def test_the_workflow_runs_the_suite_against_each_server_and_python() -> None:
    job = load(REPOSITORY / ".github" / "workflows" / "test.yml")["jobs"]["mongodb"]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))

    assert job["strategy"]["matrix"] == {"mongodb": SERVERS, "python": declared}
    assert [step["env"]["CONVOTREE_TEST_URI"] for step in suite_steps(job)] == [TEST_URI]
    [start] = [step for step in job["steps"] if step.get("run", "").startswith("docker compose up")]
    assert start["env"]["MONGODB_VERSION"] == "${{ matrix.mongodb }}"


def test_the_workflow_runs_the_suite_on_the_embedded_engine() -> None:
    job = load(REPOSITORY / ".github" / "workflows" / "test.yml")["jobs"]["embedded"]

    assert ["CONVOTREE_TEST_URI" in step["env"] for step in suite_steps(job)] == [False]


def test_the_gate_calls_exactly_the_suite() -> None:
    lines = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith("#")]

    assert code == ["set -euo pipefail", 'exec "$(dirname "${BASH_SOURCE[0]}")/../scripts/test"']
