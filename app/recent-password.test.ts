import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listAccessCodes } from "#core/access-codes/list-access-codes.server.ts";
import { createAccessCode } from "#core/access-codes/manage-access-codes.server.ts";
import type { Context } from "#core/context.ts";
import { createCredential } from "#core/credentials/manage-credentials.server.ts";
import { issueTicket } from "#core/devices/connect-device.server.ts";
import { assignTool } from "#core/passes/give-pass.server.ts";
import { auditEvents, mailMessages } from "#db/tables/operations.ts";
import { freshDatabase } from "../tests/database/database.ts";
import { openTestShop, withOldPassword } from "../tests/fixtures/open-test-shop.ts";
import { createManualClock } from "../tests/manual-clock.ts";
import { shopContext } from "./request/request-context.ts";
import routes from "./routes.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context & { actor: { userId: string } };
let late: Context;
let codeId: string;
/** The ids in the paths of routes. */
let ids: Record<string, string>;
/** In plain text: a simple code, a session code and a password. */
const SECRETS = ["CODE-1", `CANVA-1234567890-${"7".repeat(32)}`, "the-password"] as const;
beforeAll(async () => {
  admin = await shop.user("admin");
  late = withOldPassword(admin);
  const servers = [{ id: "canva-server-1", name: "Server 1", url: null }];
  const tool = await shop.tool({ slug: "canva", name: "Canva", servers, credentialService: "Udemy" });
  const code = {
    toolId: tool.id,
    serverName: "Server 1",
    isActive: true,
    simpleCode: SECRETS[0],
    sessionCode: SECRETS[1],
  };
  ({ id: codeId } = await createAccessCode(admin, code));
  const signIn = {
    service: "Other",
    otherService: "Udemy",
    email: "box@example.com",
    password: SECRETS[2],
    isActive: true,
  };
  await createCredential(admin, signIn);
  const buyer = await shop.user();
  await assignTool(admin, { userId: buyer.actor.userId, toolId: tool.id });
  await assignTool(admin, { userId: admin.actor.userId, toolId: tool.id });
  const [purchase] = await shop.purchasesOf(buyer);
  const [mail] = await shop.db.select().from(mailMessages);
  ids = {
    userId: buyer.actor.userId,
    purchaseId: purchase?.id ?? "",
    mailId: mail?.id ?? "",
    toolId: tool.id,
  };
});
afterAll(() => shop.close());

type Handler = ((args: object) => Promise<unknown>) & { intents?: readonly string[] };
type RouteEntry = (typeof routes)[number];

/** Every route with a loader or an action, by its path. Routes of one module are one entry. */
async function handlers(name: "loader" | "action"): Promise<Map<string, Handler>> {
  const found = new Map<string, Handler>();
  const visit = async (entries: readonly RouteEntry[], parent: string): Promise<void> => {
    for (const { path, file, children = [] } of entries) {
      const own = path === undefined ? parent : `${parent}/${path}`;
      const module: Record<string, unknown> = await import(
        /* @vite-ignore */ new URL(file, import.meta.url).href
      );
      const handler = module[name];
      if (typeof handler === "function" && ![...found.values()].includes(handler as Handler)) {
        found.set(own === "/admin" && file.includes("users") ? "/admin (users)" : own, handler as Handler);
      }
      await visit(children, own);
    }
  };
  await visit(routes, "");
  return found;
}

const actions = () => handlers("action");

async function post(ctx: Context, action: Handler, fields: Record<string, string>, slug = "canva") {
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

/** What an admin does without a recent password, beside what buyers do too. Every other intent asks for it. */
const NOT_ASKED: Readonly<Record<string, readonly string[]>> = {
  "/account": ["name", "password", "reset", "end-session", "end-others", "reminders", "delete"],
  "/admin": [
    "sign-in",
    "sign-out",
    "acknowledge-resale",
    "confirm-backup",
    "confirm-claims",
    "confirm-name",
    "confirm-texts",
    "confirm-test-mail",
    "send-test-mail",
    "confirm-password",
  ],
  "/admin/access-codes": ["draft-session-code", "describe-codes", "dismiss-reports"],
  "/admin/bulk-actions/:id?": ["count", "stop"],
  // A download with secrets asks.
  "/admin/catalogue": ["download", "preview"],
  "/admin/health": ["check-again"],
  "/admin/mail": ["send-again"],
  "/admin/purchases": ["ask-gateway"],
  "/dashboard/devices": ["rename", "release"],
};

test("every intent of a form asks for the password when it was entered 16 minutes ago, or is listed", async () => {
  const notAsked: Record<string, string[]> = {};
  let asked = 0;
  for (const [path, action] of await actions()) {
    for (const intent of action.intents ?? []) {
      const answer = await post(late, action, { intent });
      if ("code" in answer && answer.code === "password-needed") {
        expect(await post(admin, action, { intent })).not.toMatchObject({ code: "password-needed" });
        asked++;
      } else notAsked[path] = [...(notAsked[path] ?? []), intent];
    }
  }
  expect(notAsked).toEqual(NOT_ASKED);
  expect(asked).toBeGreaterThanOrEqual(30);
});

test("no page and no dialog contains a code or a password for an admin without a recent password", async () => {
  const load = async (ctx: Context, path: string, loader: Handler): Promise<string> => {
    const context = new RouterContextProvider();
    context.set(shopContext, ctx);
    const url = new URL(path.replace(" (users)", ""), ctx.store.origin);
    const params = { slug: "canva", kind: "receipt", ...ids };
    const answer = await (async () => loader({ request: new Request(url), url, context, params }))().catch(
      (thrown: unknown) => thrown,
    );
    return answer instanceof Response ? answer.text() : JSON.stringify(answer);
  };
  let withCodes = 0;
  for (const [path, loader] of await handlers("loader")) {
    if (!/^\/(admin|tools|aihumanizer)/.test(path)) continue;
    const answer = await load(late, path, loader);
    for (const secret of SECRETS) expect(answer, path).not.toContain(secret);
    if ((await load(admin, path, loader)).includes(SECRETS[0])) withCodes++;
  }
  // The list of access codes has them, with a recent password.
  expect(withCodes).toBe(1);
});

/** The other actions that an admin can call: with these fields they ask, and answer like this. */
const ASKED: Readonly<Record<string, readonly [() => Record<string, string>, object]>> = {
  "/admin/access-codes/connection": [
    () => ({ id: codeId, slug: "canva" }),
    { location: expect.stringContaining("connection=password-needed") },
  ],
  "/tools/:slug/code": [() => ({ serverId: "canva-server-1" }), { code: "password-needed" }],
  "/tools/:slug/credential": [() => ({ field: "password" }), { code: "password-needed" }],
};

/** Actions that give an admin nothing that a buyer has not: sign-in and out, one's own account, pass and checkout. */
const OWN_ACCOUNT = [
  "/account/data",
  "/admin/login",
  "/auth/sign-in",
  "/auth/sign-out",
  "/api/auth/*",
  "/auth/diagnostics",
  "/checkout/coupon",
  "/checkout/offer",
  "/checkout/status",
  "/forgot-password",
  "/giveaway/claim",
  "/giveaway/today",
  "/language",
  "/more-texts",
  "/reminders",
  "/reset-password",
  "/shop/:slug/alert",
  "/sign-in",
  "/tools/:slug/report",
];

test("every other route with an action asks for a recent password, or concerns only the person's own account", async () => {
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

test("an admin who has a pass is asked for a recent password, and a buyer with the same pass is not", async () => {
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

/**
 * The texts of the operations of core and of the import by name: each exported function with the declarations of its file that it
 * uses, so that operations may share a file.
 */
function readOperations(): Map<string, string> {
  const roots = ["../core", "../import-old-shop"].map((root) =>
    fileURLToPath(new URL(root, import.meta.url)),
  );
  const operations = new Map<string, string>();
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => `${root}/${name}`),
  );
  for (const name of files) {
    if (!name.endsWith(".ts") || /\.test\.ts$/.test(name)) continue;
    const text = readFileSync(name, "utf8");
    const { program, comments } = parseSync(name, text);
    // An operation that a comment names is not called. Each comment becomes spaces, so that the offsets stay.
    const source = comments.reduce(
      (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
      text,
    );
    const declarations = new Map<string, string>();
    const exported: string[] = [];
    for (const statement of program.body) {
      const isExported = statement.type === "ExportNamedDeclaration";
      // A type is no operation.
      const isType = isExported && statement.exportKind === "type";
      const declaration = isExported ? statement.declaration : statement;
      if (!declaration) continue;
      const declared =
        declaration.type === "VariableDeclaration"
          ? declaration.declarations.map(({ id }) => (id.type === "Identifier" ? id.name : ""))
          : "id" in declaration && declaration.id?.type === "Identifier"
            ? [declaration.id.name]
            : [];
      for (const one of declared) {
        declarations.set(one, source.slice(declaration.start, declaration.end));
        if (isExported && !isType) exported.push(one);
      }
    }
    for (const one of exported) {
      if (operations.has(one)) throw new Error(`'${one}' is exported twice`);
      const used = new Set([one]);
      for (const next of used)
        for (const [word] of declarations.get(next)?.matchAll(/[\w$]+/g) ?? [])
          if (declarations.has(word)) used.add(word);
      operations.set(one, [...used].map((next) => declarations.get(next)).join("\n"));
    }
  }
  return operations;
}
const operations = readOperations();

/** The names of the operations whose text matches all patterns. */
const operationsWith = (...patterns: RegExp[]): string[] =>
  [...operations]
    .flatMap(([name, text]) => (patterns.every((pattern) => pattern.test(text)) ? [name] : []))
    .sort();

/** These change something and ask nobody for a recent password. */
const AUDITED_WITHOUT_PASSWORD: Readonly<Record<string, string>> = {
  askGateway: "settles as every poll does, and gives nobody more than was paid for",
  changeName: "the person's own name",
  changePassword: "checks the password itself",
  claimGiveaway: "what every buyer may claim",
  confirmOwner: "checks the password itself",
  confirmPassword: "checks the password itself",
  confirmSetup: "a tick in the checklist",
  deleteMyAccount: "checks the password itself",
  dismissReports: "gives nobody anything",
  downloadCatalogue: "asks for a file with secrets",
  downloadMyData: "checks the password itself",
  endOtherSessions: "the person's own sessions",
  endSession: "a session of the person",
  redeemAccessCode: "needs a ticket, which asks",
  releaseDevice: "the person's own devices; asks for those of another",
  reportAccessCode: "a buyer's own report",
  requestOwnPasswordReset: "the link goes to the person's own address",
  sendMailAgain: "the mail goes to the same address",
  sendTestMail: "the mail goes to the admin",
  stopBulkAction: "nothing more changes",
};

test("an operation that writes an audit event has an effect that asks for a recent password, or is listed", () => {
  const weak = /require(Admin|SignedIn)\(\s*ctx,\s*"(reads|low-risk|own-account)"/;
  expect(operationsWith(/recordAudit\(/, weak)).toEqual(Object.keys(AUDITED_WITHOUT_PASSWORD));
});

/** These open a sealed secret, and neither return it nor let a reader have it without a recent password. */
const OPENED_WITHOUT_PASSWORD: Readonly<Record<string, string>> = {
  applyAccessCodes: "compares it with the file; changes ask",
  applyCredentials: "compares it with the file; changes ask",
  keySimpleCodes: "returns nothing, for the system only",
  listCredentials: "returns four characters, as the requirements say",
  openAccessCode: "only opens",
  openImportedDocument: "only opens",
  openPassword: "only opens",
  openPayer: "only opens; its readers return the last four characters",
  openSimpleCode: "only opens",
  planCatalogue: "compares it with the file",
  resealSecrets: "seals it with another key, for the system only",
  selectChangedFields: "compares it with the file; returns the names of fields, never their values",
  updateCredential: "compares it with the new one; asks",
};

test("an operation that opens a sealed secret asks for a recent password, or is listed", () => {
  const opens = /\b(openPassword|openSimpleCode|openAccessCode|openImportedDocument)\(|cipher\.open\(/;
  const asks = operationsWith(opens, /"reveals-secret"|hasRecentPassword\(/);
  const others = operationsWith(opens).filter((name) => !asks.includes(name));
  expect(asks.length).toBeGreaterThan(0);
  expect(others).toEqual(Object.keys(OPENED_WITHOUT_PASSWORD));
});
