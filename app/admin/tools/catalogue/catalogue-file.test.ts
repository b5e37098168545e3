import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { RouterContextProvider } from "react-router";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseCatalogueFile } from "#core/catalog/catalogue-file/catalogue-file.ts";
import { seedCatalogue } from "#core/catalog/catalogue-file/seed-catalogue.server.ts";
import type { Context } from "#core/context.ts";
import { readDashboardStatistics } from "#core/reports/read-dashboard.server.ts";
import { tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { shopContext } from "../../../request/request-context.ts";
import { appliedSchema, previewSchema } from "./catalogue-changes.tsx";
import { action, loader } from "./catalogue-file.ts";
import { UPLOAD_TYPE, writeUpload } from "./catalogue-upload.ts";

const demo = readFileSync(new URL("../../../../db/seed/demo-catalogue.json", import.meta.url), "utf8");
const shop = openTestShop(await freshDatabase(), {
  // Already the next day in the shop's time zone.
  clock: { now: () => new Date("2026-11-21T20:00:00Z") },
});
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
  await seedCatalogue(shop.system(), parseCatalogueFile(demo));
});
afterAll(() => shop.close());

function postUpload(ctx: Context, body: BodyInit): Promise<Response> {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const headers = { "content-type": UPLOAD_TYPE };
  const request = new Request(`${ctx.store.origin}/admin/catalogue`, { method: "POST", headers, body });
  return action({ request, context });
}

function post(ctx: Context, body: unknown): Promise<Response> {
  const context = new RouterContextProvider();
  context.set(shopContext, ctx);
  const request = new Request(`${ctx.store.origin}/admin/catalogue`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return action({ request, context });
}

async function preview(file: string) {
  const answer = await (await post(admin, { intent: "preview", file })).json();
  return previewSchema.parse(answer.value);
}

const download = async () => (await post(admin, { intent: "download" })).text();

test("the catalogue is downloaded as an attachment with the date in the shop's time zone, without secrets", async () => {
  const response = await post(admin, { intent: "download" });
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-disposition": 'attachment; filename="catalogue-2026-11-22.json"',
    "content-type": "application/json; charset=utf-8",
    "cache-control": "private, no-store",
    "x-left-out-access-codes": "0",
  });
  const text = await response.text();
  expect(parseCatalogueFile(text).tools).toHaveLength(12);
  expect(text).not.toContain("accessCodes");
});

test("the download of the catalogue with codes and passwords needs a recent password", async () => {
  const asked = { intent: "download", includeSecrets: true };
  const refused = await post(withOldPassword(admin), asked);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ ok: false, code: "password-needed" });
  expect(await (await post(admin, asked)).text()).toContain("accessCodes");
});

test("a catalogue file is previewed and then applied, and nothing changes before", async () => {
  const file = (await download()).replace('"availableStock": 42', '"availableStock": 50');
  const result = await preview(file);
  if (result.kind === "invalid") throw new Error("the file was refused");
  expect(result.changes.filter(({ kind }) => kind !== "unchanged")).toEqual([
    {
      section: "tools",
      key: "quillbot",
      name: "QuillBot",
      kind: "changed",
      fields: [{ field: "availableStock", before: 42, after: 50 }],
    },
  ]);
  const stock = async () =>
    (await shop.db.select().from(tools).where(eq(tools.slug, "quillbot")))[0]?.availableStock;
  expect(await stock()).toBe(42);
  const apply = { intent: "apply", file, fingerprint: result.fingerprint };
  const { totalTools } = await readDashboardStatistics(admin);
  await shop.tool();
  const applied = await (await post(admin, apply)).json();
  expect(appliedSchema.parse(applied.value)).toEqual({ added: 0, changed: 1 });
  expect(await stock()).toBe(50);
  // The statistics are read again.
  expect(await readDashboardStatistics(admin)).toMatchObject({ totalTools: totalTools + 1 });
  const again = await post(admin, apply);
  expect(again.status).toBe(409);
  expect(await again.json()).toMatchObject({ code: "changed-meanwhile" });
});

test("the mistakes of a catalogue file are returned with their lines", async () => {
  const problems = [expect.stringMatching(/^line \d+, tools\[\d+\] "quillbot": availableStock must be/)];
  const file = (await download()).replace(/("quillbot"[\s\S]*?"availableStock": )\d+/, "$1-1");
  expect(await preview(file)).toEqual({ kind: "invalid", problems });
  const applied = await post(admin, { intent: "apply", file, fingerprint: "x" });
  expect(applied.status).toBe(422);
  expect(await applied.json()).toMatchObject({ fields: { file: problems } });
});

test("an upload of the catalogue is the file as it is, behind a line with the other fields", async () => {
  const draft = JSON.parse(await download());
  Object.assign(draft.tools[0], { description: 'One line\nand "another" with é, ₹ and 🎟' });
  // Each line end would be two bytes in JSON.
  const file = `\ufeff${JSON.stringify(draft)}${"\n".repeat(100_000)}`;
  const send = (fields: object) => postUpload(admin, writeUpload(fields, new Blob([file])));
  const previewed = previewSchema.parse((await (await send({ intent: "preview" })).json()).value);
  if (previewed.kind === "invalid") throw new Error(previewed.problems.join());
  expect(previewed.changes[0]).toMatchObject({
    fields: [{ field: "description", after: draft.tools[0].description }],
  });
  const applied = await send({ intent: "apply", fingerprint: previewed.fingerprint });
  expect(appliedSchema.parse((await applied.json()).value)).toMatchObject({ added: 0 });
  expect(JSON.parse(await download()).tools[0].description).toBe(draft.tools[0].description);
});

test("an upload of a catalogue file of 25 MB is read, and one byte more is too long", async () => {
  const send = async (bytes: number) => {
    const body = writeUpload({ intent: "preview" }, new Blob(["\n".repeat(bytes)]));
    return (await postUpload(admin, body)).json();
  };
  expect((await send(25 * 1024 * 1024)).value).toMatchObject({ kind: "invalid" });
  expect((await send(25 * 1024 * 1024 + 1)).fields).toEqual({
    file: ["The file must not be larger than 25 MB."],
  });
});

test.each([
  ["nothing", "", 400],
  ["one line", '{"intent":"preview"}', 400],
  ["a line that is no JSON", "{\n{}", 400],
  ["a line that is no object", "null\n{}", 400],
  ["no file", '{"intent":"preview"}\n', 422],
  ["a file among the fields", '{"intent":"preview","file":"{}"}\n', 422],
])("an upload of %s as the catalogue is refused", async (_what, body, status) => {
  expect((await postUpload(admin, body)).status).toBe(status);
});

test.each([
  ["text that is no JSON", "{", 400],
  ["JSON that is no object", "[]", 400],
  ["deeply nested JSON", `${"[".repeat(1_000_000)}`, 400],
  ["an unknown intent", { intent: "constructor" }, 400],
  ["a missing file", { intent: "preview" }, 422],
  ["a file that is no text", { intent: "preview", file: { length: 1 } }, 422],
  ["a file that is too long", { intent: "preview", file: "x".repeat(25 * 1024 * 1024 + 1) }, 422],
])("the endpoint of the catalogue file refuses %s", async (_what, body, status) => {
  expect((await post(admin, body)).status).toBe(status);
});

test.each([
  ["visitor", 401],
  ["user", 403],
] as const)("a %s can neither download nor upload the catalogue, and the body is not read", async (kind, status) => {
  const ctx = kind === "user" ? await shop.user() : shop.visitor();
  const before = await shop.db.$count(auditEvents);
  const file = await download();
  for (const body of [
    { intent: "download", includeSecrets: true },
    { intent: "preview", file },
    { intent: "apply", file, fingerprint: "x" },
  ]) {
    const context = new RouterContextProvider();
    context.set(shopContext, ctx);
    const request = new Request(`${ctx.store.origin}/admin/catalogue`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const response = await action({ request, context });
    expect(response.status).toBe(status);
    expect(request.bodyUsed).toBe(false);
    expect(await response.text()).not.toContain("quillbot");
  }
  // One for the admin's own download.
  expect(await shop.db.$count(auditEvents)).toBe(before + 1);
});

test("the address of the catalogue file cannot be visited", () => {
  expect(loader().status).toBe(405);
});
