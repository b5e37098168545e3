import { randomUUID } from "node:crypto";
import { RouterContextProvider } from "react-router";
import { afterAll, describe, expect, test } from "vitest";
import { createAccessCode } from "#core/access-codes/manage-access-codes.server.ts";
import type { Actor } from "#core/context.ts";
import { DomainError } from "#core/errors.ts";
import { sessions } from "#db/tables/accounts.ts";
import { openToolPageShop } from "#tests/fixtures/tool-page-shop.ts";
import { shopContext } from "../request/request-context.ts";
import { action } from "./reveal-code.ts";
import { loadToolPage, toToolPageError } from "./tool-page.server.ts";

const shop = await openToolPageShop();
const { addPass, addTool, addUser, chat, contextOf } = shop;
afterAll(() => shop.close());

const visitor: Actor = { kind: "visitor" };
const load = (actor: Actor, path = "/tools/chatgpt", slug = "chatgpt") =>
  loadToolPage(contextOf(actor), new URL(path, "http://localhost:3000"), slug);
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

async function addBuyer() {
  const buyer = await addUser();
  await addPass(buyer, { toolId: chat.id, toolName: chat.name });
  if (buyer.kind !== "user") throw new Error("not a buyer");
  const { userId } = buyer;
  const id = randomUUID();
  // A ticket needs a session in the database.
  const expiresAt = new Date(Date.now() + 86_400_000);
  await shop.db.insert(sessions).values({ id, userId, token: id, expiresAt });
  return { ...buyer, sessionId: id };
}

test("a tool page is shown to a buyer and is never cached", async () => {
  const { data, init } = await load(await addBuyer());
  expect(init?.status).toBe(200);
  expect(new Headers(init?.headers).get("cache-control")).toBe("private, no-store");
  expect(data.page).toMatchObject({ access: "granted" });
  expect(JSON.stringify(data)).not.toContain("CGPT");
});

test("a tool page responds with 403 to a user without a pass", async () => {
  const { data, init } = await load(await addUser());
  expect(init?.status).toBe(403);
  expect(data.page).toEqual({
    access: "required",
    toolName: "ChatGPT Pro",
    passEndedAt: null,
    revokedPass: null,
    onSale: true,
  });
});

test("a tool page redirects a visitor to the home page, with or without a code", async () => {
  for (const path of ["/tools/chatgpt", "/tools/chatgpt?accessCode=CGPT-ONE"]) {
    const answer = await thrownBy(load(visitor, path));
    if (!(answer instanceof Response)) throw new Error("no response was thrown");
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe("/");
  }
});

test.each([
  ["does not exist", "nothing"],
  ["has a name that is too long", "x".repeat(300)],
  ["has a name that cannot be stored", "\0"],
])("a tool page responds with 404 for a tool that %s", async (_which, slug) => {
  const answer = await thrownBy(load(await addUser(), "/tools/nothing", slug));
  expect(answer).toMatchObject({ init: { status: 404 } });
});

test.each([
  ["a buyer", addBuyer, "accessCode=CGPT-TWO", "/tools/chatgpt?server=chatgpt-server-2"],
  ["a buyer whose codes do not match", addBuyer, "accessCode=CGPT-TWO&sessionCode=x", "/tools/chatgpt"],
  ["a buyer with an unknown code", addBuyer, "accessCode=nonsense", "/tools/chatgpt"],
  ["a buyer with an endless code", addBuyer, `sessionCode=${"x".repeat(5000)}`, "/tools/chatgpt"],
  ["a buyer with a code that cannot be stored", addBuyer, "accessCode=%00", "/tools/chatgpt"],
  ["a user without a pass", addUser, "accessCode=CGPT-TWO", "/tools/chatgpt"],
])("the access codes in the address of %s are removed by a redirect", async (_who, add, query, location) => {
  const answer = await thrownBy(load(await add(), `/tools/chatgpt?${query}`));
  if (!(answer instanceof Response)) throw new Error("no response was thrown");
  expect(answer.headers.get("location")).toBe(location);
});

test.each([
  ["of a tool that does not exist", "/tools/nothing", "nothing"],
  ["of an address with letters of India", "/tools/%E0%A4%95", "क"],
  ["of a name that cannot be stored", "/tools/%00", "\0"],
])("the access codes in the address %s are removed before the page says that it was not found", async (_which, path, slug) => {
  const answer = await thrownBy(load(await addUser(), `${path}?accessCode=CGPT-ONE&sessionCode=x`, slug));
  if (!(answer instanceof Response)) throw new Error("no response was thrown");
  expect(answer.headers.get("location")).toBe(path);
  expect(answer.headers.get("cache-control")).toBe("private, no-store");
  expect(await thrownBy(load(await addUser(), path, slug))).toMatchObject({ init: { status: 404 } });
});

test("access codes of another tool in the address are removed too, and the page says so", async () => {
  const { id: toolId } = await addTool("notes", { servers: [{ id: "n-1", name: "One", url: null }] });
  const code = { toolId, serverName: "One", simpleCode: "NOTES-1", isActive: true };
  await createAccessCode(contextOf(shop.admin), code);
  const buyer = await addBuyer();
  const answer = await thrownBy(load(buyer, "/tools/chatgpt?accessCode=NOTES-1"));
  if (!(answer instanceof Response)) throw new Error("no response was thrown");
  const location = answer.headers.get("location") ?? "";
  expect(location).toBe("/tools/chatgpt?code=other-tool");
  expect((await load(buyer, location)).data.hasCodeOfOtherTool).toBe(true);
  expect((await load(buyer)).data.hasCodeOfOtherTool).toBe(false);
});

test("access codes in the address are removed by the redirect to the humanizer's own path", async () => {
  const tool = await addTool("aihumanizer", { servers: [{ id: "h-2", name: "Hix AI", url: null }] });
  await createAccessCode(contextOf(shop.admin), {
    toolId: tool.id,
    serverName: "Hix AI",
    simpleCode: "HUMAN-1",
    isActive: true,
  });
  for (const [query, location] of [
    ["?accessCode=HUMAN-1", "/aihumanizer?server=h-2"],
    ["?server=h-2", "/aihumanizer?server=h-2"],
    ["", "/aihumanizer"],
  ]) {
    const answer = await thrownBy(load(shop.admin, `/tools/aihumanizer${query}`, "aihumanizer"));
    if (!(answer instanceof Response)) throw new Error("no response was thrown");
    expect(answer.headers.get("location")).toBe(location);
  }
  expect((await load(shop.admin, "/aihumanizer", "aihumanizer")).init?.status).toBe(200);
});

test("access codes in the address are removed, but not the id of a server, which only selects it", async () => {
  const { data } = await load(await addBuyer(), "/tools/chatgpt?server=chatgpt-server-2");
  expect(data.selectedServerId).toBe("chatgpt-server-2");
});

describe("revealing an access code", () => {
  async function ask(actor: Actor, body: BodyInit = new URLSearchParams({ serverId: "chatgpt-server-1" })) {
    const context = new RouterContextProvider();
    context.set(shopContext, contextOf(actor));
    const url = new URL("http://localhost:3000/tools/chatgpt/code");
    const request = new Request(url, { method: "POST", body });
    const pattern = "/tools/:slug/code";
    const answer = await action({ request, url, pattern, params: { slug: "chatgpt" }, context });
    return { status: answer.status, cache: answer.headers.get("cache-control"), body: await answer.json() };
  }

  test("a request to reveal an access code is answered with the code to a buyer and is never cached", async () => {
    expect(await ask(await addBuyer())).toEqual({
      status: 200,
      cache: "no-store",
      body: {
        ok: true,
        simpleCode: "CGPT-ONE",
        version: expect.any(String),
        extensionTicket: expect.any(String),
      },
    });
  });

  test.each([
    [
      "a visitor",
      async () => visitor,
      { status: 401, body: { ok: false, message: "Please sign in to continue" } },
    ],
    ["a user without a pass", addUser, { status: 403, body: { ok: false, message: "Access Required" } }],
  ])("a request to reveal an access code is refused to %s", async (_who, actor, refusal) => {
    expect(await ask(await actor())).toMatchObject(refusal);
  });

  test("a request to reveal an access code names the server that has no code", async () => {
    const answer = await ask(await addBuyer(), new URLSearchParams({ serverId: "chatgpt-server-3" }));
    expect(answer).toMatchObject({ status: 404, body: { message: "No access code found for Server 3" } });
  });

  test("a request to reveal an access code is refused as invalid input without a server id", async () => {
    expect(await ask(await addBuyer(), "{}")).toMatchObject({ status: 422 });
  });
});

test("the humanizer's message for a missing code asks to contact the support", () => {
  const missing = new DomainError("access-code-not-found", { server: "Write Human" });
  expect(toToolPageError(missing, "aihumanizer").message).toBe(
    "No access code found for Write Human. Please contact support.",
  );
  expect(toToolPageError(missing, "canva").message).toBe("No access code found for Write Human");
});
