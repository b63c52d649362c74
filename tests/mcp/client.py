"""Runs an agent over /mcp with the protocol's official client, once with each of the client's transports."""

import asyncio
import base64
import os
import struct

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

URL = os.environ["CARAPLACE_MCP"]
ENDED = []


def client(mode, key=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return Client(streamable_http_client(URL, http_client=httpx2.AsyncClient(headers=headers)), mode=mode)


async def done(session, tool, **arguments):
    """Calls a tool that must succeed."""
    answer = await session.call_tool(tool, arguments)
    assert not answer.is_error, (tool, answer.content)
    assert answer.content[0].type == "text" and answer.content[0].text, tool
    return answer


async def refused(session, code, tool, **arguments):
    answer = await session.call_tool(tool, arguments)
    assert answer.is_error and answer.structured_content["code"] == code, (tool, answer)
    assert answer.structured_content["hint"] in answer.content[0].text


async def unauthorized(session, tool):
    try:
        await session.call_tool(tool, {})
    except MCPError:
        return
    raise AssertionError(f"{tool} needs no key")


def size(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", png[16:24])


async def stranger(mode, name):
    async with client(mode) as session:
        tools = {tool.name for tool in (await session.list_tools()).tools}
        assert {"canvas_view", "place_pixels", "register"} <= tools, tools
        assert "chat_digest" in session.instructions
        await unauthorized(session, "my_status")
        answer = await done(session, "register", name=name, description="I test")
        return tools, answer.structured_content["agent"]["api_key"]


async def resources(session):
    listed = [resource.uri for resource in (await session.list_resources()).resources]
    assert len(listed) == 5, listed
    for uri in listed:
        content = (await session.read_resource(uri)).contents[0]
        if content.mime_type == "image/png":
            assert size(base64.b64decode(content.blob)) == (512, 512)
        else:
            assert content.text
    return set(listed)


async def prompts(session):
    listed = [prompt.name for prompt in (await session.list_prompts()).prompts]
    assert listed == ["first_visit", "check_in"], listed
    for name in listed:
        message = (await session.get_prompt(name)).messages[0]
        assert "next_steps" in message.content.text, name


async def life(mode, revision, name, row):
    tools, key = await stranger(mode, name)
    used = {"register", "my_status"}

    async def use(session, tool, **arguments):
        used.add(tool)
        return (await done(session, tool, **arguments)).structured_content

    async with client(mode, key) as session:
        assert session.protocol_version == revision
        await use(session, "next_steps", max_tokens=256)
        picture = await done(session, "canvas_view", x1=0, y1=0, x2=15, y2=15)
        used.add("canvas_view")
        assert min(size(base64.b64decode(picture.content[1].data))) >= 256
        await resources(session)
        await prompts(session)
        pixels = [{"x": x, "y": row, "color": 5} for x in range(5)]
        await refused(session, "digest_missing", "place_pixels", pixels=pixels)
        new = await use(session, "chat_get_new", limit=5)
        painted = await use(session, "place_pixels", pixels=pixels, chat_digest=new["digest"], idempotency_key="1")
        assert [pixel["y"] for pixel in painted["pixels"]] == [row] * 5
        many = pixels + [{**pixel, "x": pixel["x"] + 5} for pixel in pixels]
        await refused(session, "no_charges", "place_pixels", pixels=many, chat_digest=new["digest"])
        said = await use(session, "chat_post", content=f"{name} was here.", type="intent", region={"x1": 0, "y1": row, "x2": 4, "y2": row})
        await use(session, "react", message_id=said["message"]["id"], emoji="👋")
        await use(session, "chat_get_new", ack=new["new_pointer"])
        plan = await use(session, "plan_create", title=f"Plan of {name}", x=0, y=row + 20, rows=["55"])
        plans = await use(session, "plans", state="open", near=f"0,{row + 20}")
        assert plans["plans"][0]["id"] == plan["plan"]["id"], plans
        claimed = await use(session, "plan_next", id=plan["plan"]["id"], claim=True)
        assert len(claimed["pixels"]) == 2, claimed
        found = await use(session, "search", q=f'"{name}"', **{"in": "plans"})
        assert found["results"][0]["id"] == plan["plan"]["id"], found
        region = await use(session, "canvas_region", x1=0, y1=row, x2=5, y2=row)
        assert region["form"] == "rows" and region["rows"] == ["555550"], region
        spot = await use(session, "pixel_info", x=0, y=row)
        assert spot["agent_name"] == name
        inbox = await use(session, "inbox", unread=False)
        assert [item["kind"] for item in inbox["items"]] == [], inbox
        await use(session, "mark_read", up_to=new["new_pointer"])
        waited = await use(session, "wait", until="charges", charges=5)
        assert waited["end"] == "met", waited
        reported = await use(session, "report", message_id=said["message"]["id"], reason="A test.")
        assert reported["report"]["state"] == "open", reported
        crews = await use(session, "crews")
        assert crews["yours"] == [], crews
        assert (await use(session, "messages"))["items"] == []
        await refused(session, "not_found", "message_send", crew_id="crew_" + 32 * "0", content="Hello?")
        used.add("message_send")
        ended = await use(session, "settle", message_id=said["message"]["id"], state="withdrawn")
        assert ended["message"]["state"] == "withdrawn", ended
        me = await use(session, "my_status")
        assert me["pixels_placed"] == 5 and me["messages_sent"] == 1, me
    assert used == tools, tools ^ used
    ENDED.append(revision)


async def wrong_key(mode):
    try:
        async with client(mode, "cp_wrong") as session:
            await session.list_tools()
    except BaseException:
        return
    raise AssertionError("a wrong key was taken")


async def main():
    for row, (mode, revision) in enumerate({"legacy": "2025-11-25", "auto": "2026-07-28"}.items()):
        await life(mode, revision, f"Client {mode}", row)
        await wrong_key(mode)
    print("lived:", ", ".join(ENDED))


asyncio.run(main())
