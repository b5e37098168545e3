import { expect, test, vi } from "vitest";
import type { Context } from "#core/context.ts";
import { DatabaseUnavailableError } from "#db/database-unavailable.ts";
import { startSandboxShop } from "../../tools/testing/sandbox-shop.ts";
import { tolerateUnknownActor } from "./unknown-actor.ts";

const log = { debug() {}, info() {}, warn() {}, error() {} };
const gone = new DatabaseUnavailableError("gone");

async function ask(path: string, failure: Error, visitor: Context) {
  const contextFor = vi.fn(() => Promise.reject(failure));
  const tolerant = tolerateUnknownActor(contextFor, () => visitor);
  const request = new Request(`http://shop.test${path}`, { headers: { cookie: "session=1" } });
  return { answer: tolerant(request, "203.0.113.7", log, "r-1"), contextFor };
}

test("without a database a request fails only where its actor is read", async () => {
  const shop = await startSandboxShop();
  const { ctx } = await (await ask("/dashboard", gone, shop.visitor())).answer;
  expect(() => ctx.actor).toThrow(gone);
  expect(() => ({ ...ctx })).toThrow(gone);
  expect(ctx.db).toBe(shop.visitor().db);

  const health = await ask("/readyz", gone, shop.visitor());
  expect((await health.answer).ctx.actor).toEqual({ kind: "visitor" });
  expect(health.contextFor).not.toHaveBeenCalled();

  const fault = await ask("/dashboard", new Error("a fault"), shop.visitor());
  await expect(fault.answer).rejects.toThrow("a fault");
  await shop.close();
});

test("a request whose actor is known creates no context of a visitor", async () => {
  const shop = await startSandboxShop();
  const visitorFor = vi.fn(() => shop.visitor());
  const known = { ctx: shop.visitor(), setCookies: [] };
  const tolerant = tolerateUnknownActor(() => Promise.resolve(known), visitorFor);
  expect(await tolerant(new Request("http://shop.test/"), "203.0.113.7", log, "r-1")).toBe(known);
  expect(visitorFor).not.toHaveBeenCalled();
  await shop.close();
});
