import { readdirSync, readFileSync } from "node:fs";
import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "#core/context.ts";
import { endpoints } from "../tests/abuse/endpoints.ts";
import { type SandboxShop, startSandboxShop } from "../tests/fixtures/sandbox-shop.ts";
import { respondToExtension } from "./extension-api/extension-api.ts";
import { requestInfo, shopContext } from "./request/request-context.ts";
import routes from "./routes.ts";
import { receiveRazorpayWebhook } from "./webhooks/razorpay.ts";

const faults: unknown[] = [];
let shop: SandboxShop;
beforeAll(async () => {
  shop = await startSandboxShop();
});
afterAll(() => shop.close());

type Action = ((args: object) => Promise<unknown>) & { intents?: readonly string[] };
type RouteEntry = (typeof routes)[number];

/** The action of every route, by its path. */
async function actions(): Promise<[string, Action][]> {
  const found: [string, Action][] = [];
  const visit = async (entries: readonly RouteEntry[], parent: string): Promise<void> => {
    for (const { path, file, children = [] } of entries) {
      const own = path === undefined ? parent : `${parent}/${path}`;
      const module: Record<string, unknown> = await import(
        /* @vite-ignore */ new URL(file, import.meta.url).href
      );
      if (typeof module.action === "function") found.push([own, module.action as Action]);
      await visit(children, own);
    }
  };
  await visit(routes, "");
  return found;
}

/** Every name that the schemas of core have for a field. */
const FIELDS = [
  ...new Set(
    readdirSync("core", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.includes(".test."))
      .map((file) => readFileSync(`core/${file}`, "utf8"))
      .filter((text) => text.includes('from "zod"'))
      .flatMap((text) => [...text.matchAll(/\b([a-z]\w{1,30})\??[:,]/g)].map(([, name = ""]) => name)),
  ),
];

/** What JSON can have where a text is expected, as JSON. */
const VALUES = [
  "{}",
  '{"length":{"valueOf":1,"toString":1}}',
  '{"length":-1,"toString":null,"valueOf":null,"toJSON":1,"then":1}',
  "[]",
  '[[{"__proto__":{"polluted":true}}]]',
  "null",
  "true",
  "1e400",
  "-1.5",
  '"\\u0000"',
  '"\\ud800"',
  '"%00/\\\\\\\\evil.example"',
];

const BODIES = [
  ...VALUES,
  ...VALUES.map((value) => `{${FIELDS.map((name) => `"${name}":${value}`).join(",")}}`),
  `{"__proto__":{"polluted":true},"constructor":{"prototype":{}},"then":{}}`,
  `{"slug":${"[".repeat(9_000)}${"]".repeat(9_000)}}`,
  "{",
];

/** The bodies of the well-formed request of an endpoint, with one field replaced by each value. */
function changedBodies(pattern: string): string[] {
  const path = new RegExp(`^${pattern.replace(/:\w+/g, "[^/]+").replace("*", ".+")}(\\?|$)`);
  return endpoints("/script.js").flatMap((endpoint) => {
    if (!path.test(endpoint.path) || !endpoint.body) return [];
    const isJson = endpoint.headers?.["content-type"] === "application/json";
    const fields = isJson
      ? (JSON.parse(endpoint.body) as object)
      : Object.fromEntries(new URLSearchParams(endpoint.body));
    return Object.keys(fields).flatMap((name) =>
      VALUES.map((value) => JSON.stringify({ ...fields, [name]: "VALUE" }).replace('"VALUE"', () => value)),
    );
  });
}

/** The same context, with a log that keeps faults. */
const watched = (ctx: Context): Context => ({ ...ctx, browser, log: { ...ctx.log, error: keepFault } });
function keepFault(...entry: unknown[]): void {
  // The button makes a backup, whatever else its form says, and no command runs in this test.
  if (entry[1] !== "a command could not be run to its end") faults.push(entry);
}
const browser = { headers: new Headers(), ipAddress: "203.0.113.7" };

function contextOf(person: Context): RouterContextProvider {
  const context = new RouterContextProvider();
  context.set(shopContext, watched(person));
  const waitToRender = async () => () => undefined;
  context.set(requestInfo, { nonce: "", requestId: null, waitToRender, showsVideo() {} });
  return context;
}

/** The status of what a route returned or threw. An error that is neither fails the test. */
function statusOf(answer: unknown): number {
  if (answer instanceof Response) return answer.status;
  if (answer instanceof Error) throw answer;
  const init = typeof answer === "object" && answer !== null && "init" in answer ? answer.init : null;
  return typeof init === "object" && init !== null && "status" in init ? Number(init.status) : 200;
}

test("no endpoint answers hostile JSON with a server error", { timeout: 300_000 }, async () => {
  const people = [shop.visitor(), await shop.user(), await shop.user("admin")];
  const wrong: string[] = [];
  let sent = 0;
  const check = async (where: string, body: string, respond: () => Promise<unknown>) => {
    sent += 1;
    faults.length = 0;
    const status = statusOf(await respond().catch((thrown: unknown) => thrown));
    if (status >= 500 || faults.length > 0) wrong.push(`${where} ${status} ${body.slice(0, 80)}`);
  };
  const post = (path: string, body: string) =>
    new Request(`${shop.system().store.origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${"A".repeat(43)}` },
      body,
    });
  const found = await actions();
  for (const [path, action] of found)
    for (const person of path.startsWith("/admin") ? people.slice(2) : people)
      for (const body of [...BODIES, ...changedBodies(path)]) {
        const context = contextOf(person);
        const params = { slug: "canva", "*": "sign-in/email", userId: "u", purchaseId: "p" };
        const own = path.replace("*", "sign-in/email");
        await check(path, body, async () =>
          action({ request: post(own, body), context, params, pattern: path }),
        );
      }
  for (const path of ["/extension/devices", "/extension/redeem", "/extension/code"])
    for (const body of [...BODIES, ...changedBodies(path)])
      await check(path, body, () => respondToExtension(watched(shop.visitor()), post(path, body)));
  for (const body of BODIES)
    await check("webhook", body, () =>
      receiveRazorpayWebhook(watched(shop.system()), post("/webhooks/razorpay", body)),
    );
  expect(wrong).toEqual([]);
  expect("polluted" in {}).toBe(false);
  expect(found.length).toBeGreaterThan(25);
  expect(sent).toBeGreaterThan(2_000);
});

test("a value of the admin’s forms may be an object by its name, and is refused", {
  timeout: 120_000,
}, async () => {
  const admin = await shop.user("admin");
  for (const [path, action] of await actions())
    for (const intent of action.intents ?? []) {
      const form = new URLSearchParams({ intent });
      for (const name of FIELDS.slice(0, 900)) form.append(`${name}.length.valueOf`, "1");
      const context = contextOf(admin);
      faults.length = 0;
      const request = new Request(`${admin.store.origin}${path}`, { method: "POST", body: form });
      const status = statusOf(await action({ request, context, params: {}, pattern: path }));
      expect([status, faults], `${path} ${intent}`).toEqual([expect.any(Number), []]);
      expect(status, `${path} ${intent}`).toBeLessThan(500);
    }
});
