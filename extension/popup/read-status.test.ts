import { expect, test } from "vitest";
import type { ExtensionStatus } from "#contracts/extension-api.ts";
import { createMemoryStorage } from "#tests/fixtures/memory-storage.ts";
import { createDeviceStore } from "../shop/device-store.ts";
import { ShopError } from "../shop/shop-client.ts";
import { readStatus } from "./read-status.ts";

const STATUS: ExtensionStatus = {
  email: "a@example.com",
  latestVersion: "1.0.0",
  passes: [],
  ended: [],
  sessions: [],
};
const SESSION = "0199a000-0000-7000-8000-000000000001";

async function openPopup(
  answer: (token: string) => Promise<ExtensionStatus>,
  store = createDeviceStore(createMemoryStorage()),
) {
  await store.writeToken("TOKEN");
  const client = {
    connect: () => Promise.reject(new Error("the popup connected")),
    redeem: () => Promise.reject(new Error("the popup redeemed")),
    readStatus: answer,
    revealCode: () => Promise.reject(new Error("the popup asked for a code")),
  };
  return { state: await readStatus(store, client), token: await store.readToken() };
}

test("a connected browser shows the status of its device", async () => {
  expect(await openPopup(async () => STATUS)).toEqual({
    state: { kind: "connected", status: STATUS, limit: null, clickedSessionId: null },
    token: "TOKEN",
  });
});

test("a refusal by the limit shows the shop's message and keeps the browser connected", async () => {
  const refusal = new ShopError("status-requests-too-fast", "Please wait a minute.");
  expect(await openPopup(() => Promise.reject(refusal))).toEqual({
    state: { kind: "failed", message: "Please wait a minute." },
    token: "TOKEN",
  });
});

test("the token of a released device is removed", async () => {
  const refusal = new ShopError("device-not-connected", "Not connected.");
  expect(await openPopup(() => Promise.reject(refusal))).toEqual({
    state: { kind: "not-connected" },
    token: null,
  });
});

test("a token that a redemption replaces meanwhile stays, and the status is that of the new one", async () => {
  const store = createDeviceStore(createMemoryStorage());
  const answer = async (token: string) => {
    if (token === "NEW") return STATUS;
    await store.writeToken("NEW");
    throw new ShopError("device-not-connected", "Not connected.");
  };
  expect(await openPopup(answer, store)).toEqual({
    state: { kind: "connected", status: STATUS, limit: null, clickedSessionId: null },
    token: "NEW",
  });
});

test("the session of a Click of the last ten minutes is named, so that its code is shown at once", async () => {
  for (const [minutesAgo, clickedSessionId] of [
    [0, SESSION],
    [9, SESSION],
    [11, null],
  ] as const) {
    const store = createDeviceStore(createMemoryStorage());
    await store.writeLastSession({ id: SESSION, at: Date.now() - minutesAgo * 60_000 });
    expect((await openPopup(async () => STATUS, store)).state).toMatchObject({ clickedSessionId });
  }
});
