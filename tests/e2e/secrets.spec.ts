import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type APIRequestContext, expect, test } from "@playwright/test";
import { z } from "zod";
import { freePort } from "../free-port.ts";
import { ADMIN_EMAIL } from "./admin-page.ts";
import { findSecrets, findSecretsInFiles, listFiles } from "./secret-search.ts";
import { clusterFolder, query } from "./shop-database.ts";
import { makeDataDir, startShopProcess } from "./shop-process.ts";
import { newEmail } from "./test-users.ts";

test.describe.configure({ timeout: 240_000 });

const canary = (name: string) => `CANARY-${name}-${randomUUID()}`;
const simpleCode = canary("SIMPLE");
const sessionCode = `CANARY-SESSION-1795255200000-${randomBytes(16).toString("hex")}`;
const sharedPassword = canary("PASSWORD");
const ownPasswords = { "the buyer's password": canary("BUYER"), "the admin's password": canary("ADMIN") };
const sealed = {
  "the simple code": simpleCode,
  "the session code": sessionCode,
  "the password": sharedPassword,
};
const secrets = { ...sealed, ...ownPasswords };

type Answer = { what: string; text: string };
type Send = (
  method: "GET" | "POST",
  path: string,
  body?: { form?: Record<string, string>; data?: unknown },
) => Promise<string>;

/** Sends requests as the browser of one person, and keeps every answer with its headers. */
function recorder(context: APIRequestContext, person: string, answers: Answer[]): Send {
  return async (method, path, body = {}) => {
    const response = await context.fetch(path, { method, maxRedirects: 0, ...body });
    const text = await response.text();
    const what = `${person}: ${method} ${path.split("?")[0]} (${response.status()})`;
    answers.push({ what, text: `${JSON.stringify(response.headersArray())}\n${text}` });
    return text;
  };
}

/** Which answer contains which secret. */
const leaks = (answers: readonly Answer[], wanted: Parameters<typeof findSecrets>[1]) =>
  answers.flatMap(({ what, text }) =>
    findSecrets(Buffer.from(text), wanted).map((name) => `${what} contains ${name}`),
  );

const started = z.object({ gatewayOrderId: z.string() });
const payment = z.object({
  razorpay_payment_id: z.string(),
  razorpay_order_id: z.string(),
  razorpay_signature: z.string(),
});

async function buy(send: Send): Promise<void> {
  const order = await send("POST", "/checkout/start", { data: { slug: "aihumanizer", option: "7 Days" } });
  const { gatewayOrderId } = started.parse(JSON.parse(order));
  const paid = await send("POST", "/sandbox-gateway/checkout/pay", { data: { order_id: gatewayOrderId } });
  const signed = payment.parse(JSON.parse(paid));
  await send("POST", "/checkout/confirm", {
    data: {
      gatewayOrderId,
      gatewayPaymentId: signed.razorpay_payment_id,
      signature: signed.razorpay_signature,
    },
  });
}

/** Loads the pages of one person, as documents and as the data of a client navigation. */
async function loadPages(send: Send, paths: readonly string[]): Promise<void> {
  for (const path of paths) for (const suffix of ["", ".data"]) await send("GET", `${path}${suffix}`);
}

/** Requests with secrets in them that the shop refuses, does not understand or redirects. */
async function provokeErrors(send: Send): Promise<void> {
  const codes = new URLSearchParams({ accessCode: simpleCode, sessionCode }).toString();
  for (const path of ["/aihumanizer", "/tools/canva", "/tools/canva.data", "/no-such-page"]) {
    await send("GET", `${path}?${codes}`);
  }
  await send("POST", `/aihumanizer?${codes}`, { form: { serverId: simpleCode } });
  await send("POST", `/tools/canva/code?${codes}`, { form: { serverId: simpleCode } });
  await send("POST", "/tools/aihumanizer/code", { form: { serverId: "no-such-server", code: simpleCode } });
  await send("POST", "/tools/aihumanizer/credential", { form: { field: sharedPassword } });
  await send("POST", "/tools/aihumanizer/report", { form: { serverId: simpleCode, version: sessionCode } });
  await send("POST", "/extension/redeem", { data: { accessCode: simpleCode } });
  await send("POST", "/extension/code", { data: { sessionId: simpleCode } });
  // Not JSON: the message of a parser repeats its input.
  for (const path of [
    "/extension/redeem",
    "/checkout/start",
    "/api/auth/sign-in/email",
    "/webhooks/razorpay",
  ]) {
    await send("POST", path, { data: Buffer.from(`${simpleCode} ${sharedPassword}`) });
  }
  const wrong = { email: newEmail(), password: sharedPassword };
  await send("POST", "/api/auth/sign-in/email", { data: wrong });
  await send("POST", "/auth/sign-in", { form: wrong });
  await send("POST", "/admin/login", { form: wrong });
}

const toolRows = z.tuple([z.object({ id: z.string() })]);

test("no code, password or key is in an answer before it is revealed, in the log, or in the files of the database", async ({
  playwright,
}) => {
  const dataDir = makeDataDir();
  const shop = await startShopProcess({
    dataDir,
    port: await freePort(),
    settings: { ADMIN_PASSWORD: ownPasswords["the admin's password"], LOG_LEVEL: "trace" },
  });
  const answers: Answer[] = [];
  const person = async (name: string): Promise<Send> =>
    recorder(
      await playwright.request.newContext({ baseURL: shop.url, extraHTTPHeaders: { origin: shop.url } }),
      name,
      answers,
    );
  const buyerEmail = newEmail();
  try {
    const admin = await person("admin");
    const buyer = await person("buyer");
    const visitor = await person("visitor");
    const adminSignIn = { email: ADMIN_EMAIL, password: ownPasswords["the admin's password"] };
    await admin("POST", "/api/auth/sign-in/email", { data: adminSignIn });
    await query("update access_codes set is_active = false", [], dataDir);
    await query("update credentials set is_active = false", [], dataDir);
    const [tool] = toolRows.parse(
      await query("select id from tools where slug = 'aihumanizer'", [], dataDir),
    );
    const code = { intent: "create", toolId: tool.id, simpleCode, sessionCode, isActive: "on" };
    const credential = {
      intent: "create",
      service: "Stealth Writer",
      password: sharedPassword,
      isActive: "on",
    };
    // First with a mistake: the answer names it and does not repeat the secret.
    await admin("POST", "/admin/access-codes.data", { form: { ...code, serverName: "" } });
    await admin("POST", "/admin/credentials.data", { form: { ...credential, email: "nobody" } });
    await admin("POST", "/admin/access-codes.data", { form: { ...code, serverName: "Stealth Writer" } });
    await admin("POST", "/admin/credentials.data", { form: { ...credential, email: newEmail() } });

    const signUp = { email: buyerEmail, password: ownPasswords["the buyer's password"] };
    await buyer("POST", "/api/auth/sign-up/email", { data: signUp });
    await buy(buyer);
    for (const send of [visitor, buyer]) {
      await loadPages(send, ["/", "/dashboard", "/aihumanizer", "/tools/canva", "/admin/access-codes"]);
      await provokeErrors(send);
    }
    await loadPages(admin, [
      "/admin",
      "/admin/tools",
      "/admin/credentials",
      "/admin/audit",
      "/admin/health",
      "/admin/purchases",
    ]);
    await provokeErrors(admin);
    expect(leaks(answers, secrets)).toEqual([]);
    const statusOf = (what: string) => answers.filter((answer) => answer.what.startsWith(what)).length;
    expect(statusOf("buyer: GET /aihumanizer (200)")).toBe(1);
    expect(statusOf("admin: GET /admin/credentials (200)")).toBe(1);

    // The list of access codes shows simple codes to admins; session codes only in part.
    const list: Answer[] = [];
    const listed =
      (await admin("GET", "/admin/access-codes?q=Stealth")) +
      (await admin("GET", "/admin/access-codes.data?q=Stealth"));
    list.push(...answers.splice(-2));
    expect(listed).toContain(simpleCode);
    expect(leaks(list, { ...ownPasswords, session: sessionCode, password: sharedPassword })).toEqual([]);

    // The reveals.
    const server = { serverId: "aihumanizer-server-2" };
    expect(await buyer("POST", "/tools/aihumanizer/code", { form: server })).toContain(simpleCode);
    expect(await buyer("POST", "/tools/aihumanizer/credential", { form: { field: "password" } })).toContain(
      sharedPassword,
    );
    const revealed = answers.splice(-2);
    expect(leaks(revealed, { ...ownPasswords, session: sessionCode })).toEqual([]);
    await loadPages(buyer, ["/aihumanizer", "/dashboard"]);
    await loadPages(admin, ["/admin/audit"]);
    expect(leaks(answers, secrets)).toEqual([]);
  } finally {
    await shop.stop();
  }
  try {
    const keys = readKeys(dataDir);
    expect(leaks(answers, keys)).toEqual([]);
    expect(shop.output()).toContain('"msg":"request"');
    expect(findSecrets(Buffer.from(shop.output()), { ...secrets, ...keys })).toEqual([]);

    const cluster = clusterFolder(dataDir);
    const files = [...new Set([...listFiles(dataDir, "keys"), ...listFiles(dirname(cluster), "keys")])];
    // The search finds what is stored in the clear, in the tables and in the write-ahead log.
    const found = findSecretsInFiles(files, { "the buyer's address": buyerEmail });
    expect(found.some((line) => line.includes(join(cluster, "base")))).toBe(true);
    expect(found.some((line) => line.includes(join(cluster, "pg_wal")))).toBe(true);
    expect(findSecretsInFiles(files, { ...secrets, ...keys })).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** The material of the generated keys. */
function readKeys(dataDir: string): Record<string, Buffer | string> {
  const read = (file: string) => readFileSync(join(dataDir, "keys", file), "utf8").trim();
  const entries = read("vault-keys")
    .split(",")
    .map((entry) => Buffer.from(entry.split(":")[1] ?? "", "base64"));
  expect(entries.map((key) => key.length)).toEqual([32]);
  return {
    "the authentication secret": read("auth-secret"),
    ...Object.fromEntries(entries.map((key, at) => [`vault key ${at + 1}`, key])),
  };
}
