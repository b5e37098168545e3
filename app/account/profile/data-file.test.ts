import { gunzipSync } from "node:zlib";
import { RouterContextProvider } from "react-router";
import { uuidv7 } from "uuidv7";
import { afterAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { sessions } from "#db/tables/accounts.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import { shopContext } from "../../request/request-context.ts";
import { action, loader } from "./data-file.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
afterAll(() => shop.close());

async function buyer(): Promise<Context> {
  const { actor } = await shop.user();
  const { userId, email } = actor;
  const id = uuidv7();
  const createdAt = shop.clock.now();
  await shop.db
    .insert(sessions)
    .values({ id, userId, token: uuidv7(), createdAt, expiresAt: new Date(createdAt.getTime() + 1e9) });
  return shop.contextFor({ kind: "user", userId, email, sessionId: id });
}

function ask(ctx: Context, headers: Record<string, string>, signal?: AbortSignal) {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request("https://shop.example/account/data", {
    method: "POST",
    headers,
    body: new URLSearchParams({ password: "" }),
    ...(signal && { signal }),
  });
  return action({ request, context });
}

const json = { accept: "application/json" };

test("the data file is an attachment that no cache keeps, compressed where the client reads that", async () => {
  const ctx = await buyer();
  const compressed = await ask(ctx, { ...json, "accept-encoding": "gzip, br" });
  expect(compressed.headers.get("content-encoding")).toBe("gzip");
  expect(compressed.headers.get("cache-control")).toBe("no-store");
  expect(compressed.headers.get("content-disposition")).toMatch(
    /^attachment; filename="my-data-[\d-]{10}\.json"$/,
  );
  const text = gunzipSync(Buffer.from(await compressed.arrayBuffer())).toString();
  const plain = await (await ask(ctx, json)).json();
  expect({ ...JSON.parse(text), activity: [] }).toEqual({ ...plain, activity: [] });
  expect(plain).toMatchObject({ about: { notes: expect.any(Array) }, purchases: [] });
});

test("a refused download of the data is JSON for a script, and a way back to the page for a browser without scripts", async () => {
  const refused = await ask(shop.visitor(), json);
  expect(refused.status).toBe(401);
  expect(await refused.json()).toMatchObject({ ok: false, code: "unauthenticated" });
  const thrown = await ask(await shop.user(), { accept: "text/html" }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Response);
  expect(thrown instanceof Response && thrown.headers.get("location")).toBe(
    "/account?download=unauthenticated#data",
  );
  expect(loader().status).toBe(405);
});

test("a client that leaves the download of the data ends its own request only", async () => {
  const ctx = await buyer();
  const leaving = new AbortController();
  const answer = ask(ctx, json, leaving.signal);
  leaving.abort();
  await answer.then(
    async (response) => expect(response.status).toBe(200),
    (error: unknown) => expect(leaving.signal.aborted && error !== undefined).toBe(true),
  );
  expect((await ask(ctx, json)).status).toBe(200);
});
