import { describe, expect, test, vi } from "vitest";
import { UPLOAD_TYPE } from "#app/admin/tools/catalogue/catalogue-upload.ts";
import { FILE_TOO_LARGE } from "#core/catalog/catalogue-file/schemas.ts";
import { requestText } from "#tests/abuse/raw-connection.ts";
import { ADMIN_COOKIE, SOON, serve, until } from "#tests/fixtures/limited-server.ts";
import { HTTP_LIMITS } from "./http-limits.ts";

test("a request with a body gets no stored page at once, because the body has limits", async () => {
  const { open, handled, refused } = await serve();
  const client = await open();
  const withBody = (length: number) =>
    requestText({ path: "/stored", headers: { "content-length": `${length}` } });
  client.send(`${withBody(4)}body`);
  await until(() => handled.length === 1);
  expect(handled).toEqual(["/stored"]);
  const large = await open();
  large.send(withBody(HTTP_LIMITS.bodyBytes + 1));
  await until(() => large.received().statuses.length === 1);
  expect(large.received().statuses).toEqual([413]);
  expect(refused).toHaveLength(1);
  expect(handled).toHaveLength(1);
});

test("one address cannot use the whole limit for bodies, in which webhooks count too", async () => {
  const { open, ask, refused } = await serve({ bodyBytesInFlightPerAddress: 1_500 });
  const greedy = await open();
  greedy.send(
    requestText({ method: "POST", path: "/body", headers: { "content-length": "3000" } }) + "x".repeat(1_400),
  );
  const post = (path: string) =>
    ask(path, { method: "POST", body: "x".repeat(900), headers: { "x-razorpay-signature": "0".repeat(64) } });
  for (const path of ["/body", "/webhooks/razorpay"])
    await vi.waitFor(async () => expect((await post(path)).status).toBe(503), {
      timeout: SOON,
      interval: 50,
    });
  expect(refused).toContain("too many bodies are being received");
  greedy.reset();
  await vi.waitFor(async () => expect((await post("/webhooks/razorpay")).status).toBe(404), {
    timeout: SOON,
    interval: 50,
  });
});

test("a webhook may be longer than other bodies", async () => {
  const { ask } = await serve({ bodyBytes: 1_000, webhookBodyBytes: 2_000 });
  const headers = { "x-razorpay-signature": "0".repeat(64) };
  const deliver = (length: number) =>
    ask("/webhooks/razorpay", { method: "POST", body: "x".repeat(length), headers });
  expect((await deliver(2_000)).status).toBe(404);
  expect((await deliver(2_001)).status).toBe(413);
});

test("requests whose bodies are incomplete do not count as in flight", async () => {
  const { ask, open } = await serve({ requestsInFlight: 2 });
  for (const _ of [1, 2, 3]) {
    const client = await open();
    client.send(`${requestText({ method: "POST", path: "/body", headers: { "content-length": "9" } })}x`);
  }
  expect((await ask("/page")).status).toBe(200);
});

test("a body longer than the limit is refused before any handler runs", async () => {
  const { ask, open, handled } = await serve({ bodyBytes: 1_000 });
  expect(await (await ask("/body", { method: "POST", body: "x".repeat(1_000) })).text()).toBe("1000");
  handled.length = 0;
  expect((await ask("/body", { method: "POST", body: "x".repeat(1_001) })).status).toBe(413);
  const chunked = await open();
  chunked.send(requestText({ method: "POST", path: "/body", headers: { "transfer-encoding": "chunked" } }));
  for (let part = 0; part < 3; part++) chunked.send(`200\r\n${"x".repeat(0x200)}\r\n`);
  await chunked.closed(SOON);
  expect(chunked.received().statuses).toEqual([413]);
  expect(handled).toEqual([]);
});

test("bodies received at the same time share a limit, which is free again afterwards", async () => {
  const { open, ask, refused } = await serve({ bodyBytes: 1_000, bodyBytesInFlight: 1_500 });
  const first = await open();
  const headers = { "content-length": "1000" };
  first.send(requestText({ method: "POST", path: "/body", headers }) + "x".repeat(900));
  const post = () => ask("/body", { method: "POST", body: "x".repeat(1_000) });
  await vi.waitFor(async () => expect((await post()).status).toBe(503), { timeout: SOON, interval: 50 });
  expect(refused).toContain("too many bodies are being received");
  first.reset();
  await vi.waitFor(async () => expect((await post()).status).toBe(200), { timeout: SOON, interval: 50 });
});

test("a body that is not finished in time ends with 408, and an aborted body is not logged as a fault", async () => {
  const { open, lines, finished } = await serve({
    requestWithinMs: 300,
    headersWithinMs: 200,
    checkConnectionsEveryMs: 50,
  });
  const begin = requestText({ method: "POST", path: "/body", headers: { "content-length": "100" } });
  const slow = await open();
  slow.send(`${begin}abc`);
  await slow.closed(SOON);
  expect(slow.received().statuses).toEqual([408]);
  const leaving = await open();
  leaving.send(`${begin}abc`);
  leaving.reset();
  await until(() => finished.length >= 1);
  expect(lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
});

test("a webhook without a well-formed signature is refused before its body is received", async () => {
  const { open, handled, refused } = await serve();
  for (const signature of [undefined, "", "zz", "0".repeat(63), "g".repeat(64), "0".repeat(65)]) {
    const client = await open();
    const headers = {
      "content-length": "200000",
      ...(signature === undefined ? {} : { "x-razorpay-signature": signature }),
    };
    const path = signature === "zz" ? "/x/../webhooks/razorpay" : "/webhooks/razorpay";
    client.send(requestText({ method: "POST", path, headers }));
    await client.closed(SOON);
    expect(client.received().statuses).toEqual([401]);
  }
  expect(handled).toEqual([]);
  expect(refused).toHaveLength(6);
});

describe("a large form of the admin", () => {
  const COOKIE = { cookie: "other=1; daypass.session_token=any" };
  const uploadOf = (length: number, headers: Record<string, string> = COOKIE) => ({
    method: "POST",
    body: "x".repeat(length),
    headers,
  });

  test("large forms of the admin have a larger limit, for requests with a session cookie and on paths of the admin only", async () => {
    const { ask, handled } = await serve({ bodyBytes: 1_000, uploadBodyBytes: 2_000 });
    for (const headers of [COOKIE, { cookie: "__Host-daypass.session_token=any" }])
      for (const path of ["/admin/settings", "/admin/settings.data", "/admin/tools", "/admin/tools.data"])
        expect((await ask(path, uploadOf(2_000, headers))).status, path).toBe(200);
    handled.length = 0;
    expect((await ask("/admin/settings", uploadOf(2_001))).status).toBe(413);
    for (const headers of [{}, { cookie: "x-daypass.session_token=any" }])
      expect((await ask("/admin/settings", uploadOf(1_001, headers))).status).toBe(413);
    for (const path of [
      "/body",
      "/admin",
      "/admin/",
      "/admin.data",
      "/admin/login",
      "/admin/Login",
      "/admin/Login.data",
      "/Admin/settings",
      "/admin/settings/",
      "/admin/Settings.data",
      "/admin/tools/",
      "/admin/coupons.data",
      "/admin/catalogue",
    ])
      expect((await ask(path, uploadOf(1_001))).status, path).toBe(413);
    expect(handled).toEqual([]);
  });

  test("large forms of the admin count until they are answered, and leave other bodies their own limit", async () => {
    const { ask, open, held, refused } = await serve({
      bodyBytes: 1_000,
      uploadBodyBytes: 2_000,
      uploadBytesInFlight: 3_000,
      bodyBytesInFlight: 1_000,
    });
    const first = ask("/admin/settings", uploadOf(1_901));
    await until(() => held.length === 1);
    expect((await ask("/admin/settings", uploadOf(1_200))).status).toBe(503);
    expect(refused).toEqual(["too many bodies are being received"]);
    for (const path of ["/body", "/admin/settings.data"])
      expect((await ask(path, uploadOf(900))).status, path).toBe(200);
    held[0]?.();
    expect((await first).status).toBe(200);
    await vi.waitFor(async () => expect((await ask("/admin/settings", uploadOf(1_200))).status).toBe(200), {
      timeout: SOON,
      interval: 50,
    });
    // A client that leaves gives its bytes back, whether it was sending or waiting.
    for (const sent of [1_500, 1_901]) {
      const leaving = await open();
      const headers = { ...COOKIE, "content-length": "1901" };
      leaving.send(requestText({ method: "POST", path: "/admin/settings", headers }) + "x".repeat(sent));
      await vi.waitFor(async () => expect((await ask("/admin/settings", uploadOf(1_600))).status).toBe(503), {
        timeout: SOON,
        interval: 50,
      });
      leaving.reset();
      await vi.waitFor(async () => expect((await ask("/admin/settings", uploadOf(1_600))).status).toBe(200), {
        timeout: SOON,
        interval: 50,
      });
    }
  });

  test("one address cannot use the whole limit for large forms of the admin", async () => {
    const { ask, held } = await serve({ bodyBytes: 100, uploadBytesInFlightPerAddress: 2_000 });
    const first = ask("/admin/settings", uploadOf(1_901));
    await until(() => held.length === 1);
    expect((await ask("/admin/settings", uploadOf(200))).status).toBe(503);
    held[0]?.();
    expect((await first).status).toBe(200);
  });
});

describe("a catalogue file", () => {
  const LIMITS = { bodyBytes: 1_000, catalogueBodyBytes: 2_000, catalogueBytesInFlight: 3_000 };
  const HEADERS = { "content-type": UPLOAD_TYPE, cookie: ADMIN_COOKIE, accept: "application/json" };
  const fileOf = (length: number, headers: Record<string, string> = HEADERS) => ({
    method: "POST",
    body: "x".repeat(length),
    headers,
  });
  const begin = (length: number, headers: Record<string, string> = HEADERS) =>
    requestText({
      method: "POST",
      path: "/admin/catalogue",
      headers: { ...headers, "content-length": `${length}` },
    });

  test("a catalogue file may be longer than other bodies on its own path and of its own type only, and a longer one gets a message", async () => {
    const { ask, handled } = await serve(LIMITS);
    expect((await ask("/admin/catalogue", fileOf(2_000))).status).toBe(200);
    handled.length = 0;
    const refused = await ask("/admin/catalogue", fileOf(2_001));
    expect(refused.status).toBe(413);
    expect(await refused.json()).toEqual({ code: "too-large", message: FILE_TOO_LARGE });
    const json = { ...HEADERS, "content-type": "application/json" };
    expect((await ask("/admin/catalogue", fileOf(1_001, json))).status).toBe(413);
    for (const path of ["/body", "/admin/Catalogue", "/admin/catalogue/", "/admin/coupons"])
      expect((await ask(path, fileOf(1_001))).status, path).toBe(413);
    expect(handled).toEqual([]);
  });

  test("a catalogue file is refused before its bytes are sent unless its client is an admin", async () => {
    const { open, handled, refused } = await serve(LIMITS);
    for (const cookie of ["", "daypass.session_token=other"]) {
      const client = await open();
      client.send(begin(2_000, { ...HEADERS, cookie }));
      await client.closed(SOON);
      expect(client.received().statuses).toEqual([401]);
      expect(client.received().text).toContain('{"code":"unauthenticated","message":"Sign in"}');
    }
    expect(handled).toEqual([]);
    expect(refused).toHaveLength(2);
  });

  test("a catalogue file counts with its announced length until it is answered or its client has left", async () => {
    const { ask, open, held } = await serve(LIMITS);
    const status = async () => (await ask("/admin/catalogue", fileOf(1_600))).status;
    const becomes = (expected: number) =>
      vi.waitFor(async () => expect(await status()).toBe(expected), { timeout: SOON, interval: 50 });
    const stalled = await open();
    stalled.send(`${begin(2_000)}x`);
    await becomes(503);
    expect((await ask("/body", { method: "POST", body: "x".repeat(900) })).status).toBe(200);
    stalled.reset();
    await becomes(200);
    const first = ask("/admin/catalogue", fileOf(1_901));
    await until(() => held.length === 1);
    expect(await status()).toBe(503);
    held[0]?.();
    expect((await first).status).toBe(200);
    await becomes(200);
  });

  test("a catalogue file may take longer than other bodies, but not for ever", async () => {
    const { open } = await serve({
      ...LIMITS,
      headersWithinMs: 100,
      requestWithinMs: 100,
      catalogueWithinMs: 1_000,
    });
    const slow = await open();
    slow.send(`${begin(1_100)}x`);
    await new Promise((resolve) => setTimeout(resolve, 400));
    slow.send("x".repeat(1_099));
    await until(() => slow.received().statuses.length === 1);
    expect(slow.received().statuses).toEqual([200]);
    const stalled = await open();
    stalled.send(`${begin(1_100)}x`);
    await stalled.closed(SOON);
    expect(stalled.received().statuses).toEqual([408]);
  });
});
