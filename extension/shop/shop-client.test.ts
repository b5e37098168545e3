import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createMemoryStorage } from "#tests/fixtures/memory-storage.ts";
import { readStatus } from "../popup/read-status.ts";
import { createDeviceStore } from "./device-store.ts";
import { createShopClient } from "./shop-client.ts";

const session = {
  id: "0199a000-0000-7000-8000-000000000001",
  tool: "Chat",
  server: "Server 1",
  launchUrl: "https://chat.example/",
  endsAt: "2026-12-21T10:00:00.000Z",
  hasNoEnd: false,
};
const status = { email: "a@example.com", latestVersion: "1.1.0", passes: [], ended: [], sessions: [session] };

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A shop on a port of its own that answers every request with `body`. */
async function openShop(code: number, body: string) {
  const requests: { url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push({ url: request.url ?? "", headers: request.headers, body: text });
    response.writeHead(code, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  return { requests, client: createShopClient(`http://127.0.0.1:${port}`) };
}

test("a redemption sends the code with the token and returns the session", async () => {
  const { client, requests } = await openShop(200, JSON.stringify({ session, later: "field" }));
  expect(await client.redeem("TOKEN", "CODE")).toEqual(session);
  expect(requests).toMatchObject([
    { url: "/extension/redeem", headers: { authorization: "Bearer TOKEN" }, body: '{"accessCode":"CODE"}' },
  ]);
  expect(requests[0]?.headers.cookie).toBeUndefined();
});

test("the code of a session is asked for with the token", async () => {
  const { client, requests } = await openShop(200, JSON.stringify({ code: "CODE" }));
  expect(await client.revealCode("TOKEN", session.id)).toBe("CODE");
  expect(requests).toMatchObject([
    {
      url: "/extension/code",
      headers: { authorization: "Bearer TOKEN" },
      body: JSON.stringify({ sessionId: session.id }),
    },
  ]);
});

test("a refusal has the shop's code and message", async () => {
  for (const refusal of [
    { code: "access-code-not-redeemable", message: "No access code found.", limit: undefined },
    { code: "device-limit-reached", message: "Maximum installations exceeded", limit: 2 },
  ]) {
    const { client } = await openShop(404, JSON.stringify(refusal));
    await expect(client.redeem("TOKEN", "CODE")).rejects.toMatchObject(refusal);
  }
});

test.each([
  ["is no JSON", 200, "<html>"],
  ["lacks a field", 200, JSON.stringify({ session: { ...session, tool: undefined } })],
  [
    "names a script as the address",
    200,
    JSON.stringify({ session: { ...session, launchUrl: "javascript:alert(1)" } }),
  ],
  ["is an error page", 502, "Bad gateway"],
])("a response that %s counts as a shop that cannot be reached", async (_what, code, body) => {
  const { client } = await openShop(code, body);
  await expect(client.redeem("TOKEN", "CODE")).rejects.toMatchObject({ code: "unreachable" });
});

test("a shop that does not answer cannot be reached", async () => {
  const client = createShopClient("http://127.0.0.1:1");
  await expect(client.readStatus("TOKEN")).rejects.toMatchObject({ code: "unreachable" });
});

test("the popup shows the status, an error that can be tried again, or how to connect", async () => {
  const store = createDeviceStore(createMemoryStorage());
  // An older shop does not say which passes have ended.
  const connected = await openShop(200, JSON.stringify({ ...status, ended: undefined }));
  expect(await readStatus(store, connected.client)).toEqual({ kind: "not-connected" });
  await store.writeToken("TOKEN");
  expect(await readStatus(store, connected.client)).toEqual({
    kind: "connected",
    status,
    limit: null,
    clickedSessionId: null,
  });
  const broken = await openShop(503, "{}");
  expect(await readStatus(store, broken.client)).toMatchObject({ kind: "failed" });
  expect(await store.readToken()).toBe("TOKEN");
  const refusal = { code: "device-not-connected", message: "" };
  const released = await openShop(401, JSON.stringify(refusal));
  expect(await readStatus(store, released.client)).toEqual({ kind: "not-connected" });
  expect(await store.readToken()).toBeNull();
});

test("the popup says that the limit of devices is reached, also beside the passes of an earlier account", async () => {
  const store = createDeviceStore(createMemoryStorage());
  const { client } = await openShop(200, JSON.stringify(status));
  await store.markLimitReached(2);
  expect(await readStatus(store, client)).toEqual({ kind: "limit-reached", limit: 2 });
  await store.writeToken("TOKEN");
  await store.markLimitReached(2);
  expect(await readStatus(store, client)).toMatchObject({ kind: "connected", status, limit: 2 });
  const released = await openShop(401, JSON.stringify({ code: "device-not-connected", message: "" }));
  expect(await readStatus(store, released.client)).toEqual({ kind: "limit-reached", limit: 2 });
  await store.writeToken("TOKEN");
  expect(await readStatus(store, client)).toMatchObject({ limit: null });
});
