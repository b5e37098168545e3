import { readdirSync, rmSync } from "node:fs";
import { expect, test } from "@playwright/test";
import {
  disconnectAtEveryPoint,
  disconnectDuringResponse,
  floodWebhook,
  openStalledConnections,
  pipelineRequests,
  sendMalformed,
  stallFromManyAddresses,
  visit,
} from "../abuse/attacks.ts";
import { type Endpoint, endpoints } from "../abuse/endpoints.ts";
import { growCatalogue } from "../abuse/large-catalogue.ts";
import { malformedRequests } from "../abuse/malformed-requests.ts";
import { RawConnection, requestText } from "../abuse/raw-connection.ts";
import {
  COLLECTS_GARBAGE_ON_SIGNAL,
  countAcceptedConnections,
  heapAndBuffersMiB,
  readMetrics,
} from "../abuse/shop-metrics.ts";
import { freePort } from "../free-port.ts";
import { query } from "./shop-database.ts";
import { makeDataDir, type ShopProcess, startShopProcess } from "./shop-process.ts";

const TOKEN = "a-token-for-the-abuse-tests";
const TOOLS = 50;
const MALFORMED = 2_500;
const SEED = 20_260;

let shop: ShopProcess;
let dataDir: string;
let target: { port: number };
let known: Endpoint[];
/** Opened first and checked last, because the shop closes them after its timeouts. */
let stalled: RawConnection[];
let notReading: RawConnection[];
let heldBefore: number;

/** What the shop holds in memory after it has collected its garbage, in MiB. */
async function heldByShop(): Promise<number> {
  shop.signal("SIGUSR2");
  return heapAndBuffersMiB(await readMetrics(shop.url, TOKEN));
}

test.describe.configure({ mode: "serial" });

test.beforeAll(async () => {
  dataDir = makeDataDir();
  target = { port: await freePort() };
  // With the default limits, which other tests turn off because they share one address.
  const settings = {
    METRICS_TOKEN: TOKEN,
    LIMITS_PER_ADDRESS: "1",
    NODE_OPTIONS: COLLECTS_GARBAGE_ON_SIGNAL,
  };
  shop = await startShopProcess({ dataDir, port: target.port, settings });
  await growCatalogue((text, values) => query(text, values, dataDir), TOOLS);
  known = endpoints(
    `/assets/${readdirSync("build/client/assets").find((name) => /^framework.*\.js$/.test(name))}`,
  );
  for (const _ of [1, 2]) {
    for (const { path, method = "GET", headers = {}, body } of known)
      await fetch(shop.url + path, { method, headers, redirect: "manual", ...(body && { body }) });
  }
  heldBefore = await heldByShop();
  stalled = await openStalledConnections(target, 50);
  notReading = await pipelineRequests(target, { connections: 20, requests: 100, path: "/", read: false });
});

test.afterAll(async () => {
  for (const client of [...(stalled ?? []), ...(notReading ?? [])]) client.reset();
  await shop?.stop();
  if (dataDir) rmSync(dataDir, { recursive: true, force: true });
});

test("clients that disconnect at any point of any response do not affect other requests", async () => {
  await disconnectAtEveryPoint(target, known);
  for (const path of ["/", "/healthz", "/readyz"])
    expect((await fetch(shop.url + path)).status, path).toBe(200);
});

for (const encoding of ["gzip", "br", "deflate", "identity"]) {
  test(`clients that accept ${encoding} and disconnect during a large response do not crash the shop`, async () => {
    const times = 150;
    expect(await disconnectDuringResponse(target, { path: "/", encoding, times })).toBe(times);
    expect((await fetch(`${shop.url}/healthz`)).status).toBe(200);
  });
}

test("a client that pipelines a thousand requests gets at most one response and is disconnected", async () => {
  const pageBytes = (await (await fetch(shop.url)).text()).length;
  const clients = await pipelineRequests(target, { connections: 20, requests: 1_000, path: "/", read: true });
  for (const client of clients) {
    const { bytes, text } = client.received();
    expect(text).toMatch(/^HTTP\/1\.1 (?:200|503) /);
    expect(bytes).toBeLessThan(2 * pageBytes);
  }
});

test("malformed requests are refused or disconnected, and none causes a server error", async () => {
  const outcomes = await sendMalformed(target, malformedRequests(known, MALFORMED, SEED));
  expect(outcomes).toHaveLength(MALFORMED);
  const faults = outcomes.filter(({ statuses }) => statuses.some((status) => status >= 500));
  expect(faults).toEqual([]);
  const answered = outcomes.filter(({ statuses }) => statuses.length > 0);
  expect(answered.length).toBeGreaterThan(MALFORMED / 2);
});

test("requests that a proxy and the shop could understand differently are refused as malformed", async () => {
  const start = "POST /auth/sign-in HTTP/1.1\r\ncontent-type: application/x-www-form-urlencoded\r\n";
  const chunks = "7\r\nemail=a\r\n0\r\n\r\n";
  const ambiguous = [
    ["two hosts", "GET / HTTP/1.1\r\nhost: localhost\r\nhost: evil.example\r\n\r\n"],
    ["the same host twice", "GET / HTTP/1.1\r\nhost: localhost\r\nHost: localhost\r\n\r\n"],
    ["another coding", `${start}host: localhost\r\ntransfer-encoding: x, chunked\r\n\r\n${chunks}`],
    ["chunked twice", `${start}host: localhost\r\ntransfer-encoding: chunked, chunked\r\n\r\n${chunks}`],
  ].map(([kind = "", text = ""]) => ({ kind, text }));
  for (const { request, statuses } of await sendMalformed(target, ambiguous))
    expect(statuses, request.kind).toEqual([400]);
});

test("bodies that take long to parse are refused before parsing", async () => {
  const post = (path: string, type: string, body: string) =>
    fetch(shop.url + path, { method: "POST", headers: { "content-type": type }, body });
  const form = "application/x-www-form-urlencoded";
  for (const path of [
    "/auth/sign-in",
    "/admin/login",
    "/admin/catalogue",
    "/checkout/start",
    "/api/auth/sign-in/email",
    "/extension/devices",
    "/extension/redeem",
    "/extension/code",
    "/dashboard/devices",
  ]) {
    expect((await post(path, form, "a&".repeat(500_000))).status, path).toBe(413);
    expect((await post(path, "application/json", "[".repeat(100_000))).status, path).toBe(413);
    expect((await post(path, form, "a&".repeat(32_000))).status, path).toBeLessThan(500);
    expect(
      (await post(path, "application/json", "[".repeat(12_000) + "]".repeat(12_000))).status,
      path,
    ).toBeLessThan(500);
  }
});

test("a device token of any length is refused, and one of 300 KB before the request is read", async () => {
  const paths = known.filter(({ path }) => path.startsWith("/extension/"));
  const withToken = (endpoint: Endpoint, length: number) => ({
    ...endpoint.headers,
    authorization: `Bearer ${"a".repeat(length)}`,
  });
  for (const endpoint of paths.filter(({ name }) => name !== "connection of a device")) {
    const { path, method = "GET", body } = endpoint;
    for (const length of [1, 201, 9_000]) {
      const headers = withToken(endpoint, length);
      expect((await fetch(shop.url + path, { method, headers, ...(body && { body }) })).status, path).toBe(
        401,
      );
    }
  }
  const long = paths.map((endpoint) => ({
    kind: endpoint.name,
    text: requestText({ ...endpoint, headers: withToken(endpoint, 300_000) }),
  }));
  const outcomes = await sendMalformed(target, long);
  // The shop may close the connection before the client has read the response.
  expect(outcomes.flatMap(({ statuses }) => statuses).filter((status) => status !== 431)).toEqual([]);
  expect(outcomes).toHaveLength(4);
});

test("long forms with a false session are refused before parsing, and one address cannot hold many", async () => {
  const send = (bytes: number) =>
    fetch(`${shop.url}/admin/settings`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie: "daypass.session_token=none", origin: shop.url },
      body: "[".repeat(bytes),
      redirect: "manual",
    }).then(
      ({ status }) => status,
      // The shop closed the connection while the body was sent.
      () => 503,
    );
  expect(await send(2_000_000)).toBeLessThan(500);
  expect(await send(9_000_000)).toBe(413);
  const statuses = await Promise.all(Array.from({ length: 20 }, () => send(2_000_000)));
  expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
  expect((await fetch(shop.url)).status).toBe(200);
});

test("a catalogue file of a visitor is refused before its bytes are sent", async () => {
  const headers = { "content-type": "application/vnd.daypass.catalogue", accept: "application/json" };
  const begin = (length: number, cookie: string) =>
    requestText({
      method: "POST",
      path: "/admin/catalogue",
      headers: { ...headers, ...(cookie && { cookie }), "content-length": `${length}` },
    });
  const clients = ["", "daypass.session_token=none", "daypass.session_token=none.AAAA"].flatMap((cookie) =>
    [26_000_000, 900_000_000].map((length) => begin(length, cookie)),
  );
  const send = async (text: string) => {
    // It sends nothing of the file, a part of it, or leaves.
    const stalled = await RawConnection.open(target);
    stalled.send(text);
    const sending = await RawConnection.open(target);
    sending.send(text + "x".repeat(200_000));
    const leaving = await RawConnection.open(target);
    leaving.send(`${text}x`);
    leaving.reset();
    await Promise.all([stalled, sending].map((client) => client.closed(10_000)));
    expect(stalled.received().statuses).toEqual([401]);
  };
  await Promise.all(clients.map(send));
  expect((await fetch(shop.url)).status).toBe(200);
});

test("a flood of forged webhooks is refused", async () => {
  const signature = "0".repeat(64);
  const statuses = await floodWebhook(target, { connections: 20, bodyBytes: 2_000, signature, forMs: 3_000 });
  expect(statuses.get(401)).toBeGreaterThan(0);
  expect([...statuses.keys()].filter((status) => status !== 401 && status !== 429)).toEqual([]);
  const unsigned = await floodWebhook(target, {
    connections: 20,
    bodyBytes: 900_000,
    signature: "",
    forMs: 1_000,
  });
  expect([...unsigned.keys()]).toEqual([401]);
});

test("clients that stop within a request or never read responses are disconnected", async () => {
  await Promise.all(stalled.map((client) => client.closed(60_000)));
  // Keep-alive connections of this process may remain; connections of clients that do not read may not.
  await expect(() => expect(countAcceptedConnections(target)).toBeLessThan(notReading.length)).toPass({
    timeout: 100_000,
  });
});

test("half-sent requests from many addresses do not keep a visitor out", async () => {
  const clients = await stallFromManyAddresses(target);
  for (let n = 0; n < 20; n++) expect((await visit(target, n % 2 === 0 ? "/" : "/sign-in")).status).toBe(200);
  expect(clients.some((client) => client.isClosed)).toBe(true);
  for (const client of clients) client.reset();
});

test("an address that cannot be decoded is not found, and becomes one line of the log", async () => {
  const path = `/%ff${"a".repeat(10_000)}`;
  expect((await fetch(shop.url + path)).status).toBe(404);
  await expect.poll(() => shop.output()).toContain("/%ffaaa");
  expect(shop.output()).not.toContain("could not be decoded");
  expect(shop.output()).not.toContain("a".repeat(1_000));
});

test("pages that refuse what was posted to them are not kept in memory", async () => {
  for (let sent = 0; sent < 300; sent += 1) {
    const page = await fetch(shop.url, { method: "POST", body: "a=b", headers: { origin: shop.url } });
    expect(page.status).toBe(405);
    await page.arrayBuffer();
  }
  await expect.poll(heldByShop).toBeLessThan(heldBefore * 1.2);
});

test("the shop after all abuse is ready, uses no more memory, has lost no database connection and has logged no error", async () => {
  expect((await fetch(`${shop.url}/readyz`)).status).toBe(200);
  await expect(async () => {
    expect(await heldByShop()).toBeLessThan(heldBefore * 1.2);
    const metrics = await readMetrics(shop.url, TOKEN);
    expect(metrics.get('daypass_database_connections{state="busy"}')).toBe(0);
    expect(metrics.get('daypass_database_connections{state="waited_for"}')).toBe(0);
    expect(metrics.get("daypass_contained_faults_total")).toBe(0);
  }).toPass({ timeout: 90_000, intervals: [1_000] });
  const lines = shop.output().split("\n");
  const logged = lines.filter((line) => /"level":(?:50|60)/.test(line));
  expect(logged).toEqual([]);
  expect(lines.filter((line) => line.includes("Daypass is ready"))).toHaveLength(1);
});
