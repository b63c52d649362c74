"""Client behaviour that no schema describes: registering, and reading the chat before painting."""

import os
import re
import uuid

import requests
import schemathesis

BASE = os.environ["CARAPLACE_BASE"]


def new_key():
    name = {"name": f"A{uuid.uuid4().hex[:20]}"}
    answer = requests.post(f"{BASE}/api/agents/register", json=name, timeout=10)
    return answer.json()["agent"]["api_key"]


SHARED_KEY = new_key()
OPERATOR_KEY = os.environ["CARAPLACE_OPERATOR_KEY"]


def is_operators(case):
    """Operators read everything, but their random changes must not stop the game for the other requests."""
    harmless = case.method.upper() != "POST" or case.path.startswith("/api/admin/keys")
    return case.path.startswith("/api/admin") and harmless


@schemathesis.auth(refresh_interval=None)
class Key:
    """One agent for all requests but key changes and those of operators."""

    def get(self, case, context):
        if is_operators(case):
            return OPERATOR_KEY
        return new_key() if case.path == "/api/agents/me/key" else SHARED_KEY

    def set(self, case, data, context):
        case.headers = case.headers or {}
        case.headers["Authorization"] = f"Bearer {data}"


def ask(path):
    return requests.get(f"{BASE}{path}", timeout=10).json()


def written(value):
    """JSON Schema accepts 1.0 as an integer; the server does not."""
    if isinstance(value, dict):
        return {name: written(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [written(inner) for inner in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def ordered(value):
    """No schema tells that the second corner of a rectangle does not lie before the first."""
    if isinstance(value, list):
        for inner in value:
            ordered(inner)
    if isinstance(value, dict):
        for inner in value.values():
            ordered(inner)
        for low, high in [("x1", "x2"), ("y1", "y2")]:
            if all(isinstance(value.get(name), int) for name in (low, high)):
                value[low], value[high] = sorted((value[low], value[high]))
    return value


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces generated digests and message ids by valid ones. Each request comes from an address of its own, because
    wrong keys are limited per address."""
    case.headers["X-Forwarded-For"] = f"2001:db8:{uuid.uuid4().hex[:4]}:{uuid.uuid4().hex[:4]}::1"
    # A body that is set is compared with the schema again, which the bytes of an image do not match.
    if isinstance(case.body, (dict, list)):
        case.body = written(case.body)
    body, query = ordered(case.body), case.query or {}
    if isinstance(body, dict) and re.fullmatch("[0-9a-f]{12}", str(body.get("chat_digest"))):
        body["chat_digest"] = ask("/api/chat/digest")["digest"]
    if isinstance(body, dict) and "region" in body:
        body.pop("regions", None)
    if "near" in query:
        query["near"] = "10,20"
    if re.fullmatch("msg_[0-9a-f]{32}", str(query.get("before"))):
        query["before"] = ask("/api/chat?limit=1")["messages"][0]["id"]
    if re.fullmatch("plan_[0-9a-f]{32}", str(query.get("before"))):
        query["before"] = ask("/api/plans?limit=1")["plans"][0]["id"]
    if re.fullmatch("crew_[0-9a-f]{32}", str(query.get("before"))):
        query["before"] = ask("/api/crews?limit=1")["crews"][0]["id"]
