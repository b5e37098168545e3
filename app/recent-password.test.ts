import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccessCode } from "#core/access-codes/create-access-code.server.ts";
import { listAccessCodes } from "#core/access-codes/list-access-codes.server.ts";
import type { Context } from "#core/context.ts";
import { createCredential } from "#core/credentials/create-credential.server.ts";
import { issueTicket } from "#core/devices/issue-ticket.server.ts";
import { assignTool } from "#core/pass-management/assign-tool.server.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { freshDatabase } from "../tools/testing/database.ts";
import { createManualClock } from "../tools/testing/manual-clock.ts";
import { openTestShop, withOldPassword } from "../tools/testing/open-test-shop.ts";
import { shopContext } from "./middleware/request-context.ts";
import routes from "./routes.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context & { actor: { userId: string } };
let late: Context;
let codeId: string;
beforeAll(async () => {
  admin = await shop.user("admin");
  late = withOldPassword(admin);
  const servers = [{ id: "canva-server-1", name: "Server 1", url: null }];
  const tool = await shop.tool({ slug: "canva", name: "Canva", servers, credentialService: "Udemy" });
  const code = { toolId: tool.id, serverName: "Server 1", simpleCode: "CODE-1", isActive: true };
  ({ id: codeId } = await createAccessCode(admin, code));
  const signIn = {
    service: "Other",
    otherService: "Udemy",
    email: "box@example.com",
    password: "the-password",
    isActive: true,
  };
  await createCredential(admin, signIn);
});
afterAll(() => shop.close());

type Action = ((args: object) => Promise<unknown>) & { intents?: string[] };
type RouteEntry = (typeof routes)[number];

/** Every route with an action, by its path. Routes of one module are one entry. */
async function actions(): Promise<Map<string, Action>> {
  const found = new Map<string, Action>();
  const visit = async (entries: readonly RouteEntry[], parent: string): Promise<void> => {
    for (const { path, file, children = [] } of entries) {
      const own = path === undefined ? parent : `${parent}/${path}`;
      const module: Record<string, unknown> = await import(
        /* @vite-ignore */ new URL(file, import.meta.url).href
      );
      const { action } = module;
      if (typeof action === "function" && ![...found.values()].includes(action as Action)) {
        found.set(own === "/admin" && file.includes("users") ? "/admin (users)" : own, action as Action);
      }
      await visit(children, own);
    }
  };
  await visit(routes, "");
  return found;
}

async function post(ctx: Context, action: Action, fields: Record<string, string>, slug = "canva") {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(`${ctx.store.origin}/`, { method: "POST", body: new URLSearchParams(fields) });
  const answer = await action({ request, context, params: { slug } });
  if (answer instanceof Response) {
    const address = answer.headers.get("location");
    return address ? { location: address } : ((await answer.json()) as object);
  }
  return (answer as { data: object }).data;
}

/** What an admin does without a recent password. Every other operation of an admin's page asks for it. */
const NOT_ASKED: Readonly<Record<string, readonly string[]>> = {
  "/admin/access-codes": ["draft-session-code"],
  "/admin/mail": ["send-again"],
};

test("every operation of the admin's pages asks for a password that was entered 16 minutes ago", async () => {
  let asked = 0;
  for (const [path, action] of await actions()) {
    for (const intent of action.intents ?? []) {
      const answer = await post(late, action, { intent });
      if (NOT_ASKED[path]?.includes(intent)) {
        expect(answer, `${path} ${intent}`).not.toMatchObject({ code: "password-needed" });
      } else {
        expect(answer, `${path} ${intent}`).toMatchObject({ ok: false, code: "password-needed" });
        expect(await post(admin, action, { intent })).not.toMatchObject({ code: "password-needed" });
        asked++;
      }
    }
  }
  expect(asked).toBeGreaterThanOrEqual(29);
});

/** The other actions that an admin can call: with these fields they ask, and answer like this. */
const ASKED: Readonly<Record<string, readonly [() => Record<string, string>, object]>> = {
  "/admin/access-codes/connection": [
    () => ({ id: codeId, slug: "canva" }),
    { location: expect.stringContaining("connection=password-needed") },
  ],
  "/admin/catalogue": [() => ({ intent: "apply", file: "{}" }), { code: "password-needed" }],
  "/tools/:slug/code": [() => ({ serverId: "canva-server-1" }), { code: "password-needed" }],
  "/tools/:slug/credential": [() => ({ field: "password" }), { code: "password-needed" }],
};

/** Actions that give an admin nothing that a buyer has not: sign-in and out, one's own account, pass and checkout. */
const OWN_ACCOUNT = [
  "/account",
  "/admin",
  "/admin/login",
  "/auth/sign-in",
  "/auth/sign-out",
  "/api/auth/*",
  "/auth/diagnostics",
  "/checkout/coupon",
  "/checkout/offer",
  "/checkout/status",
  "/dashboard/devices",
  "/forgot-password",
  "/giveaway/claim",
  "/giveaway/today",
  "/reset-password",
  "/sign-in",
  "/tools/:slug/report",
];

test("every other route with an action asks, or concerns only the person's own account", async () => {
  const others = [...(await actions())].filter(([, { intents }]) => intents === undefined);
  expect(others.map(([path]) => path).sort()).toEqual([...Object.keys(ASKED), ...OWN_ACCOUNT].sort());
  const before = await shop.db.$count(auditEvents);
  for (const [path, action] of others) {
    const asked = ASKED[path];
    if (asked === undefined) continue;
    const [fields, refusal] = asked;
    expect(await post(late, action, fields()), path).toMatchObject(refusal);
  }
  expect(await shop.db.$count(auditEvents)).toBe(before);
});

test("an admin who has a pass is asked, and a buyer with the same pass is not", async () => {
  const buyer = await shop.user();
  const tool = await shop.tool({ servers: [{ id: "s-1", name: "S", url: null }] });
  const code = { toolId: tool.id, serverName: "S", simpleCode: "CODE-2", isActive: true };
  await createAccessCode(admin, code);
  for (const { actor } of [buyer, admin]) await assignTool(admin, { userId: actor.userId, toolId: tool.id });
  const reveal = (await actions()).get("/tools/:slug/code");
  if (reveal === undefined) throw new Error("the route is gone");
  const ask = (ctx: Context) => post(ctx, reveal, { serverId: "s-1" }, tool.slug);
  expect(await ask(late)).toMatchObject({ ok: false, code: "password-needed" });
  expect(await ask(buyer)).toMatchObject({ ok: true, simpleCode: "CODE-2" });
  expect(await ask(admin)).toMatchObject({ ok: true, simpleCode: "CODE-2" });
});

test("an admin connects no device without a recent password", async () => {
  await expect(issueTicket(late)).rejects.toMatchObject({ code: "password-needed" });
});

test("the list of access codes has no codes for an admin without a recent password", async () => {
  const { rows } = await listAccessCodes(late, {});
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toMatchObject({ simpleCode: null, sessionCodeStart: null });
});

/** These write an audit event and are asked for nothing all the same. */
const AUDITED_READS = ["catalog/catalogue-transfer/download-catalogue.server.ts"];

test("an operation that authorises an admin as a reader changes nothing that is audited", () => {
  const root = fileURLToPath(new URL("../core", import.meta.url));
  const found = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".server.ts"))
    .filter((name) => {
      const source = readFileSync(`${root}/${name}`, "utf8");
      return source.includes('requireAdmin(ctx, "reads")') && source.includes("recordAudit(");
    });
  expect(found).toEqual(AUDITED_READS);
});
