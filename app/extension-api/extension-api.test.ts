import { uuidv7 } from "uuidv7";
import { afterAll, expect, test } from "vitest";
import { issueTicket } from "#core/devices/connect-device.server.ts";
import { openDeviceShop } from "#tests/fixtures/device-shop.ts";
import { respondToExtension } from "./extension-api.ts";

const shop = await openDeviceShop();
afterAll(() => shop.close());

async function call(path: string, init: RequestInit = {}) {
  const response = await respondToExtension(shop.visitor(), new Request(`https://shop.example${path}`, init));
  expect(response.headers.get("cache-control")).toBe("no-store");
  return { status: response.status, body: await response.json() };
}

const post = (path: string, body: unknown, token?: string) =>
  call(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

test("an installation connects with a ticket, redeems a code and reads its status", async () => {
  const ticket = await issueTicket(await shop.buyer());
  const connected = await post("/extension/devices", {
    ticket,
    installationId: uuidv7(),
    name: "Chrome",
    version: "1.0.0",
  });
  expect(connected.status).toBe(200);
  const { token } = connected.body;
  const redeemed = await post("/extension/redeem", { accessCode: "CODE-ONE" }, token);
  expect(redeemed).toMatchObject({
    status: 200,
    body: { session: { tool: "Chat", server: "Server 1", launchUrl: "https://one.example/" } },
  });
  const status = await call("/extension/status", { headers: { authorization: `Bearer ${token}` } });
  expect(status).toMatchObject({
    status: 200,
    body: {
      latestVersion: expect.any(String),
      passes: [{ tool: "Chat", pageUrl: "https://shop.example/tools/chat", hasNoEnd: false }],
      sessions: [redeemed.body.session],
    },
  });
  expect(redeemed.body.session.hasNoEnd).toBe(false);
  expect(JSON.stringify(status.body)).not.toContain("CODE-ONE");
  const sessionId = redeemed.body.session.id;
  expect(await post("/extension/code", { sessionId }, token)).toEqual({
    status: 200,
    body: { code: "CODE-ONE" },
  });
  expect(await post("/extension/code", { sessionId: uuidv7() }, token)).toMatchObject({ status: 404 });
  expect(await post("/extension/code", { sessionId })).toMatchObject({ status: 401 });
});

test("a pass and a redeemed server say that they have no end", async () => {
  const ctx = await shop.buyer({ expiresAt: new Date("2099-12-31T00:00:00Z") });
  const { token } = await shop.connect(ctx);
  const redeemed = await post("/extension/redeem", { accessCode: "CODE-ONE" }, token);
  expect(redeemed.body.session.hasNoEnd).toBe(true);
  const status = await call("/extension/status", { headers: { authorization: `Bearer ${token}` } });
  expect(status.body.passes).toMatchObject([{ hasNoEnd: true }]);
});

test("a limit is refused with the message that the buyer sees", async () => {
  const ctx = await shop.buyer();
  await shop.connect(ctx);
  await shop.connect(ctx);
  const ticket = await issueTicket(ctx);
  const refused = await post("/extension/devices", {
    ticket,
    installationId: uuidv7(),
    name: "Chrome",
    version: "1.0.0",
  });
  expect(refused).toEqual({
    status: 403,
    body: { code: "device-limit-reached", message: "Maximum installations exceeded", limit: 2 },
  });
});

test("a code without a pass for it is refused as an unknown one is, so that nobody learns which codes exist", async () => {
  const { token } = await shop.connect(await shop.user());
  const known = await post("/extension/redeem", { accessCode: "CODE-ONE" }, token);
  expect(known).toEqual(await post("/extension/redeem", { accessCode: "CODE-NONE" }, token));
  expect(known).toEqual({
    status: 404,
    body: {
      code: "access-code-not-redeemable",
      message: "There is no such access code, or you have no active pass for its tool.",
    },
  });
});

test("requests without a device token, malformed bodies, other methods and other paths are refused", async () => {
  for (const authorization of ["", "Bearer", "Bearer made-up", "Basic YTpi", `Bearer ${"x".repeat(300)}`]) {
    const headers = { authorization, cookie: "daypass.session_token=x" };
    expect(await call("/extension/status", { headers })).toMatchObject({
      status: 401,
      body: { code: "device-not-connected" },
    });
  }
  expect(await post("/extension/redeem", { accessCode: "CODE-ONE" })).toMatchObject({ status: 401 });
  for (const body of ["", "{", "null", "[]", '"x"', "{}"]) {
    expect(await post("/extension/devices", body)).toMatchObject({ status: 422 });
  }
  expect(await call("/extension/redeem")).toMatchObject({ status: 405 });
  expect(await post("/extension/status", {})).toMatchObject({ status: 405 });
  for (const path of ["/extension/", "/extension/none", "/extension/__proto__", "/extension/devices/"]) {
    expect(await call(path)).toMatchObject({ status: 404, body: { code: "not-found" } });
  }
});
