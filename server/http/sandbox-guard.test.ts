import { Hono } from "hono";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { systemClock } from "#core/time.ts";
import { RawConnection, requestText } from "#tests/abuse/raw-connection.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { serveApp } from "#tests/fixtures/serve-app.ts";
import { readEnv } from "../env.ts";
import { isFromElsewhere } from "./app.ts";

const shop = openTestShop(await freshDatabase(), { clock: systemClock });
afterAll(() => shop.close());

/** A shop with these settings, whose sandbox accepts every payment. */
async function serve(settings: NodeJS.ProcessEnv) {
  const env = readEnv(settings);
  const refused: string[] = [];
  const paid: string[] = [];
  const pay = (c: { req: { path: string }; text(body: string): Response }) => {
    paid.push(c.req.path);
    return c.text("paid");
  };
  const { port, close } = await serveApp(
    shop,
    { env, sandboxGateway: new Hono().post("/checkout/pay", pay).post("/v1/orders", pay) },
    { refusals: { count: (reason) => void refused.push(reason), flush() {} } },
  );
  onTestFinished(close);
  /** @returns the status of the answer */
  const post = async (path: string, headers: Record<string, string> = {}) => {
    const client = await RawConnection.open({ port });
    const origin = env.origin;
    client.send(
      requestText({ method: "POST", path, headers: { origin, connection: "close", ...headers }, body: "{}" }),
    );
    await client.closed(20_000);
    return client.received().statuses[0];
  };
  return { post, refused, paid };
}

const PAY = "/sandbox-gateway/checkout/pay";
const PUBLIC = { ORIGIN: "https://shop.example.com", PAYMENT_GATEWAY: "sandbox" };

test.each([
  { host: "shop.example.com" },
  { host: "192.0.2.10:3000" },
  { host: "localhost.example.com" },
  { host: "localhost@example.com" },
  { host: "" },
  { "x-forwarded-for": "203.0.113.9" },
  { "X-Forwarded-Host": "shop.example.com" },
  { forwarded: "for=203.0.113.9" },
  { via: "1.1 proxy" },
  { "x-real-ip": "203.0.113.9" },
  { "x-original-forwarded-for": "203.0.113.9" },
  { "x-amzn-trace-id": "Root=1-2" },
  { "cf-connecting-ip": "203.0.113.9" },
  { "cdn-loop": "cloud" },
])("a test payment without ORIGIN and with the headers %o is refused, and the log names ORIGIN", async (headers) => {
  const { post, refused, paid } = await serve({});
  for (const path of [PAY, "/x/../sandbox-gateway/checkout/pay", "/sandbox%2Dgateway/checkout/pay"])
    expect([403, 404], path).toContain(await post(path, headers));
  expect(await post(PAY, headers)).toBe(403);
  expect(paid).toEqual([]);
  expect(refused[0]).toContain("ORIGIN");
});

test.each([
  { host: "localhost:3000" },
  { host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000" },
  { host: "[::1]:3000" },
  { host: "shop.localhost" },
])("a test payment without ORIGIN works at $host", async (headers) => {
  const { post, refused } = await serve({});
  expect(await post(PAY, headers)).toBe(200);
  expect(refused).toEqual([]);
});

test("a public demonstration takes test payments through its proxy", async () => {
  const { post } = await serve({ ...PUBLIC, SANDBOX_ON_PUBLIC_ORIGIN: "1" });
  expect(await post(PAY, { host: "shop.example.com", "x-forwarded-for": "203.0.113.9" })).toBe(200);
});

test("the shop itself reaches the sandbox at any address that it listens on", async () => {
  const { post } = await serve({ HOST: "192.0.2.10" });
  expect(await post("/sandbox-gateway/v1/orders", { host: "192.0.2.10:3000" })).toBe(200);
});

test.each([
  ["203.0.113.9", true],
  ["2001:db8::9", true],
  ["::ffff:203.0.113.9", true],
  [undefined, true],
  ["127.0.0.1", false],
  ["::1", false],
  ["::ffff:127.0.0.1", false],
  ["172.17.0.1", false],
  ["192.168.1.20", false],
])("a connection of %s with the Host header of this machine is from elsewhere: %s", (remoteAddress, expected) => {
  const request = { rawHeaders: ["Host", "localhost:3000"], socket: { remoteAddress } };
  expect(isFromElsewhere(request)).toBe(expected);
});

test("a request with two Host headers is from elsewhere when one of them is", () => {
  const socket = { remoteAddress: "127.0.0.1" };
  const rawHeaders = ["Host", "localhost", "host", "shop.example.com"];
  expect(isFromElsewhere({ rawHeaders, socket })).toBe(true);
  expect(isFromElsewhere({ rawHeaders: [], socket })).toBe(true);
});
