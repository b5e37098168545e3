import { desc, eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toolLogos, tools } from "#db/tables/catalog.ts";
import { auditEvents } from "#db/tables/operations.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { LOSSY_WEBP, pngOf, svgOf } from "#tests/fixtures/logos.ts";
import { openTestShop, withOldPassword } from "#tests/fixtures/open-test-shop.ts";
import { createManualClock } from "#tests/manual-clock.ts";
import type { Context } from "../../context.ts";
import { assignTool } from "../../passes/give-pass.server.ts";
import { createTool, deleteTool, sellWhenNotReady, updateTool } from "../tool-editing/manage-tools.server.ts";
import { findLogo, listLogos } from "./tool-logos.server.ts";

const shop = openTestShop(await freshDatabase(), { clock: createManualClock() });
let admin: Context;
beforeAll(async () => {
  admin = await shop.user("admin");
});
afterAll(() => shop.close());

let count = 0;
const form = (changes: object = {}) => ({
  name: `Suite ${++count}`,
  description: "Films.",
  validityDays: "12",
  price: "149",
  availableStock: "10",
  isActive: "on",
  ...changes,
});

/** A picture that no other test has. */
const newPng = () => pngOf(++count, 1).toString("base64url");

async function addTool(changes: object = {}) {
  const sent = form(changes);
  const { id } = await createTool(admin, sent);
  const { logoFile: _, ...rest } = { logoFile: "", ...sent };
  const edit = async (edits: object, ctx = admin) => {
    const { version } = await rowOf(id);
    return updateTool(ctx, { ...rest, toolId: id, version, shownStock: "10", ...edits });
  };
  return { id, name: sent.name, edit };
}

async function rowOf(id: string) {
  const [tool] = await shop.db.select().from(tools).where(eq(tools.id, id));
  if (tool === undefined) throw new Error("no such tool");
  return tool;
}

const logoOf = async (id: string) => (await rowOf(id)).logo ?? "";
const countLogos = () => shop.db.$count(toolLogos);

async function lastEvent() {
  const [event] = await shop.db.select().from(auditEvents).orderBy(desc(auditEvents.id)).limit(1);
  return event;
}

test("a tool is added with a logo, and the audit event names it without its bytes", async () => {
  const file = newPng();
  const { id, name } = await addTool({ logoFile: file });
  const logo = await logoOf(id);
  expect(logo).toMatch(/^[0-9a-f]{32}\.png$/);
  expect((await findLogo(shop.visitor(), logo))?.toString("base64url")).toBe(file);
  expect(await listLogos(admin)).toMatchObject({ [name.toLowerCase()]: logo });
  expect(await lastEvent()).toMatchObject({ action: "tool.created", details: { after: { logo } } });
});

test("a logo is replaced and removed, and bytes that nothing uses are deleted", async () => {
  const { id, edit } = await addTool();
  expect(await logoOf(id)).toBe("");
  const before = await countLogos();
  await edit({ logoFile: newPng() });
  const first = await logoOf(id);
  expect(await countLogos()).toBe(before + 1);
  await edit({ description: "Another text." });
  expect(await logoOf(id)).toBe(first);
  await edit({ logoFile: LOSSY_WEBP.toString("base64url") });
  const second = await logoOf(id);
  expect(second).toMatch(/\.webp$/);
  expect(await lastEvent()).toMatchObject({
    action: "tool.updated",
    details: { before: { logo: first }, after: { logo: second } },
  });
  expect(await findLogo(admin, first)).toBeNull();
  expect(await countLogos()).toBe(before + 1);
  await edit({ removeLogo: "true" });
  expect(await logoOf(id)).toBe("");
  expect(await findLogo(admin, second)).toBeNull();
  expect(await countLogos()).toBe(before);
});

test("an SVG that an older version stored stays with every other edit, until it is replaced", async () => {
  const { id, name, edit } = await addTool();
  const before = await countLogos();
  const logo = `${"5".repeat(32)}.svg`;
  const content = svgOf("<path d='M0 0'/>");
  await shop.db.insert(toolLogos).values({ name: logo, content });
  await shop.db.update(tools).set({ logo }).where(eq(tools.id, id));
  await edit({ description: "Another text." });
  expect(await logoOf(id)).toBe(logo);
  expect((await findLogo(shop.visitor(), logo))?.equals(content)).toBe(true);
  expect(await listLogos(admin)).toMatchObject({ [name.toLowerCase()]: logo });
  await edit({ logoFile: newPng() });
  expect(await logoOf(id)).toMatch(/\.png$/);
  expect(await findLogo(admin, logo)).toBeNull();
  expect(await countLogos()).toBe(before + 1);
});

test("two tools with the same file share its bytes, which stay until the last of them loses it", async () => {
  const file = newPng();
  const before = await countLogos();
  const one = await addTool({ logoFile: file });
  const other = await addTool({ logoFile: file });
  const logo = await logoOf(one.id);
  expect(await logoOf(other.id)).toBe(logo);
  expect(await countLogos()).toBe(before + 1);
  await one.edit({ removeLogo: "true" });
  expect(await findLogo(admin, logo)).not.toBeNull();
  // The same file again is the same logo.
  await other.edit({ logoFile: file });
  expect(await findLogo(admin, logo)).not.toBeNull();
  await other.edit({ removeLogo: "true" });
  expect(await findLogo(admin, logo)).toBeNull();
});

test("admins who replace and remove one logo at the same time leave no bytes and no gap", async () => {
  const file = newPng();
  const before = await countLogos();
  const added = await Promise.all([1, 2, 3, 4].map(() => addTool({ logoFile: file })));
  await Promise.all([
    added[0]?.edit({ removeLogo: "true" }),
    added[1]?.edit({ removeLogo: "true" }),
    added[2]?.edit({ logoFile: newPng() }),
    addTool({ logoFile: file }),
  ]);
  expect(await countLogos()).toBe(before + 2);
  expect(await findLogo(admin, await logoOf(added[3]?.id ?? ""))).not.toBeNull();
});

test("the name of a tool that is not on sale is told to the admin and to its buyers only", async () => {
  const hidden = await addTool({ logoFile: newPng() });
  await hidden.edit({ isActive: undefined });
  const deleted = await addTool({ logoFile: newPng() });
  await deleteTool(admin, { toolId: deleted.id });
  const names = [hidden, deleted].map(({ name }) => name.toLowerCase());
  for (const ctx of [shop.visitor(), await shop.user()])
    expect(Object.keys(await listLogos(ctx)).filter((name) => names.includes(name))).toEqual([]);
  expect(Object.keys(await listLogos(admin))).toEqual(expect.arrayContaining(names));
});

test("a deleted tool keeps its logo for its passes, unless another tool has its name", async () => {
  const { id, name } = await addTool({ logoFile: newPng() });
  const old = await logoOf(id);
  const buyer = await shop.user();
  await assignTool(admin, { userId: buyer.actor.userId, toolId: id });
  await deleteTool(admin, { toolId: id });
  for (const ctx of [buyer, admin]) expect(await listLogos(ctx)).toMatchObject({ [name.toLowerCase()]: old });
  expect(await findLogo(admin, old)).not.toBeNull();
  const next = await addTool({ name, logoFile: newPng() });
  await sellWhenNotReady(admin, { toolId: next.id, sellsWhenNotReady: "true" });
  for (const ctx of [shop.visitor(), buyer, admin])
    expect(await listLogos(ctx)).toMatchObject({ [name.toLowerCase()]: await logoOf(next.id) });
});

test.each([
  ["too large", Buffer.alloc(200 * 1024 + 1, 1), /larger than 200 KB/],
  ["no picture", Buffer.from("a text"), /not a PNG or WebP/],
  ["incomplete", pngOf(2, 2).subarray(0, 40), /incomplete or damaged/],
  ["an SVG", svgOf("<path d='M0 0'/>"), /not a PNG or WebP/],
])("a file that is %s is refused for its field, and nothing changes", async (_, file, message) => {
  const { id, edit } = await addTool({ logoFile: newPng() });
  const before = [await rowOf(id), await countLogos(), await shop.db.$count(tools), await lastEvent()];
  const logoFile = file.toString("base64url");
  const refusal = { code: "invalid-input", fields: { logoFile: [expect.stringMatching(message)] } };
  await expect(edit({ logoFile, description: "Changed." })).rejects.toMatchObject(refusal);
  await expect(createTool(admin, form({ logoFile }))).rejects.toMatchObject(refusal);
  expect([await rowOf(id), await countLogos(), await shop.db.$count(tools), await lastEvent()]).toEqual(
    before,
  );
});

test("a logo that is no base64url is refused", async () => {
  await expect(createTool(admin, form({ logoFile: "a+b/c=" }))).rejects.toMatchObject({
    fields: { logoFile: [expect.any(String)] },
  });
});

test("a buyer, a visitor and an admin without a recent password upload no logo", async () => {
  const { edit } = await addTool();
  const before = await countLogos();
  const upload = { logoFile: newPng() };
  await expect(edit(upload, await shop.user())).rejects.toMatchObject({ code: "forbidden" });
  await expect(edit(upload, shop.visitor())).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(edit(upload, withOldPassword(admin))).rejects.toMatchObject({ code: "password-needed" });
  expect(await countLogos()).toBe(before);
});

test("a name that no logo has finds nothing", async () => {
  for (const name of [`${"0".repeat(32)}.png`, "x", "../etc/passwd", ""])
    expect(await findLogo(shop.visitor(), name)).toBeNull();
});
