import { expect, test } from "vitest";
import { createMemoryStorage } from "#tests/fixtures/memory-storage.ts";
import { createDeviceStore } from "../shop/device-store.ts";
import { type ShopClient, ShopError } from "../shop/shop-client.ts";
import { createRedeemer } from "./redeemer.ts";

const session = {
  id: "0199a000-0000-7000-8000-000000000001",
  tool: "Chat",
  server: "Server 1",
  launchUrl: "https://chat.example/",
  endsAt: null,
  hasNoEnd: false,
};

/** An extension whose shop does what `shop` says; `calls` has each request to it. */
function openExtension(shop: Partial<ShopClient> = {}) {
  const calls: string[] = [];
  const store = createDeviceStore(createMemoryStorage());
  const client: ShopClient = {
    connect: async ({ ticket, name }) => {
      calls.push(`connect ${ticket} ${name}`);
      return `token of ${ticket}`;
    },
    redeem: async (token, code) => {
      calls.push(`redeem ${code} with ${token}`);
      return session;
    },
    readStatus: async () => ({ email: "", latestVersion: "1", passes: [], ended: [], sessions: [] }),
    revealCode: () => Promise.reject(new Error("the background asked for a code")),
    ...shop,
  };
  const userAgent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36";
  const opened: string[] = [];
  const clock = { now: 0 };
  const redeemer = createRedeemer({
    client,
    store,
    version: "1.0.0",
    userAgent,
    shopOrigin: "https://shop.example",
    openTab: (url) => void opened.push(url),
    now: () => clock.now,
  });
  return { calls, store, opened, clock, redeemer };
}

test("a ticket connects the browser first, and its token redeems the code", async () => {
  const { calls, store, redeemer } = openExtension();
  const result = await redeemer.redeem({ accessCode: "CODE", ticket: "T1" });
  expect(result).toEqual({
    blocked: false,
    installationId: await store.readInstallationId(),
    message: "Ready. Press the Daypass icon at the top right.",
  });
  expect(calls).toEqual(["connect T1 Chrome on Linux", "redeem CODE with token of T1"]);
  expect(await store.readToken()).toBe("token of T1");
});

test("a redeemed server is opened in a new tab, once for each Click, and remembered without its code", async () => {
  const { store, opened, clock, redeemer } = openExtension();
  await redeemer.redeem({ accessCode: "CODE", ticket: "T1" });
  expect(opened).toEqual(["https://chat.example/"]);
  clock.now = 1000;
  await redeemer.redeem({ accessCode: "CODE", ticket: undefined });
  expect(opened).toHaveLength(1);
  clock.now = 60_000;
  await redeemer.redeem({ accessCode: "CODE", ticket: "T2" });
  expect(opened).toHaveLength(2);
  expect(await store.readLastSession()).toEqual({ id: session.id, at: 60_000 });
});

test("a server whose address is the tool's page in the shop opens no tab, and neither does a refused code", async () => {
  const inShop = openExtension({
    redeem: async () => ({ ...session, launchUrl: "https://shop.example/tools/chat" }),
  });
  await inShop.redeemer.redeem({ accessCode: "CODE", ticket: "T" });
  const refused = openExtension({
    redeem: async () => {
      throw new ShopError("access-code-not-redeemable", "No.");
    },
  });
  await refused.redeemer.redeem({ accessCode: "CODE", ticket: "T" });
  expect([...inShop.opened, ...refused.opened]).toEqual([]);
});

test("the stored token is used without a ticket, and without both the buyer is told how to connect", async () => {
  const { calls, store, redeemer } = openExtension();
  expect(await redeemer.redeem({ accessCode: "CODE", ticket: undefined })).toMatchObject({ blocked: true });
  expect(calls).toEqual([]);
  await store.writeToken("stored");
  await redeemer.redeem({ accessCode: "CODE", ticket: undefined });
  expect(calls).toEqual(["redeem CODE with stored"]);
});

test("a refusal of the shop is the message for the buyer, and keeps the stored token", async () => {
  const { store, redeemer } = openExtension({
    connect: async () => {
      throw new ShopError("device-limit-reached", "Maximum installations exceeded", { limit: 3 });
    },
  });
  await store.writeToken("stored");
  expect(await redeemer.redeem({ accessCode: "CODE", ticket: "T" })).toEqual({
    blocked: true,
    message: "Maximum installations exceeded",
    limit: 3,
  });
  expect(await store.readToken()).toBe("stored");
});

test("a browser that the limit of devices keeps out remembers it until it is connected", async () => {
  let isFull = true;
  const { store, redeemer } = openExtension({
    connect: async () => {
      if (isFull) throw new ShopError("device-limit-reached", "Maximum installations exceeded", { limit: 2 });
      return "token";
    },
    redeem: async () => {
      throw new ShopError("access-required", "Access Required");
    },
  });
  expect(await store.readReachedLimit()).toBeNull();
  await redeemer.redeem({ accessCode: "CODE", ticket: "T1" });
  expect(await store.readReachedLimit()).toBe(2);
  isFull = false;
  await redeemer.redeem({ accessCode: "CODE", ticket: "T2" });
  expect(await store.readReachedLimit()).toBeNull();
});

test("a token that the shop no longer accepts is removed", async () => {
  const { store, redeemer } = openExtension({
    redeem: async () => {
      throw new ShopError("device-not-connected", "not connected");
    },
  });
  await store.writeToken("old");
  await redeemer.redeem({ accessCode: "CODE", ticket: undefined });
  expect(await store.readToken()).toBeNull();
});

test("redemptions run one after the other, and a flood of them is refused", async () => {
  let running = 0;
  let most = 0;
  const { redeemer } = openExtension({
    redeem: async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return session;
    },
  });
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, at) => redeemer.redeem({ accessCode: `C${at}`, ticket: "T" })),
  );
  expect(most).toBe(1);
  expect(results.filter(({ blocked }) => !blocked)).toHaveLength(5);
  expect(await redeemer.redeem({ accessCode: "LATER", ticket: "T" })).toMatchObject({ blocked: false });
});

test("an extension that was installed again keeps the installation that the page remembers", async () => {
  const { store, redeemer } = openExtension();
  const installationId = "0199a000-0000-4000-8000-000000000001";
  const result = await redeemer.redeem({ accessCode: "CODE", ticket: "T", installationId });
  expect(result.installationId).toBe(installationId);
  expect(await store.readInstallationId("0199a000-0000-4000-8000-000000000002")).toBe(installationId);
});

test("the installation id is made once and is a random UUID", async () => {
  const [one, two] = [createDeviceStore(createMemoryStorage()), createDeviceStore(createMemoryStorage())];
  const id = await one.readInstallationId();
  expect(await one.readInstallationId()).toBe(id);
  expect(await two.readInstallationId()).not.toBe(id);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
