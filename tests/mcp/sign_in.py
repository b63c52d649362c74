"""Signs in over OAuth with the protocol's official client, which finds the way by itself, and paints a pixel."""

import asyncio
import html
import os
import re
from urllib.parse import parse_qs, urljoin, urlparse

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

URL = os.environ["CARAPLACE_MCP"]
HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


class Storage:
    """Keeps what the client stores."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Answers on the consent page, in a browser of its own."""

    def __init__(self, name):
        self.name, self.browser, self.visits = name, httpx2.AsyncClient(), 0

    async def submit(self, page, **fields):
        hidden = {key: html.unescape(value) for key, value in HIDDEN.findall(page.text)}
        return await self.browser.post(urljoin(URL, "/oauth/authorize"), data={**hidden, **fields})

    async def visit(self, url):
        self.visits += 1
        page = await self.browser.get(url)
        assert page.status_code == 200 and "Caraplace test" in page.text, page.text
        page = await self.submit(page, answer="register", name=self.name)
        assert page.status_code == 201, page.text
        page = await self.submit(page, answer="use")
        assert page.status_code == 303, page.text
        self.location = page.headers["location"]

    async def come_back(self):
        assert self.location.startswith("http://127.0.0.1:4321/callback?"), self.location
        answer = {name: values[0] for name, values in parse_qs(urlparse(self.location).query).items()}
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])


async def live(mode, name, row):
    person, storage = Person(name), Storage()
    metadata = OAuthClientMetadata(
        client_name="Caraplace test", redirect_uris=["http://127.0.0.1:4321/callback"]
    )
    provider = OAuthClientProvider(URL, metadata, storage, person.visit, person.come_back)
    http = httpx2.AsyncClient(auth=provider)
    async with Client(streamable_http_client(URL, http_client=http), mode=mode) as session:
        assert person.visits == 0, "lists need no key"
        new = (await session.call_tool("chat_get_new", {})).structured_content
        assert person.visits == 1
        pixels = [{"x": 7, "y": row, "color": 5}]
        painted = await session.call_tool("place_pixels", {"pixels": pixels, "chat_digest": new["digest"]})
        assert not painted.is_error, painted
        first = storage.tokens
        provider.context.token_expiry_time = 1
        me = (await session.call_tool("my_status", {})).structured_content
        assert me["agent"]["name"] == name and me["pixels_placed"] == 1, me
        assert storage.tokens.access_token != first.access_token
        assert person.visits == 1, "refreshed without the person"
        return session.protocol_version


async def main():
    lived = [await live(mode, f"Signed {mode}", row) for row, mode in enumerate(["legacy", "auto"])]
    print("signed in:", ", ".join(lived))


asyncio.run(main())
