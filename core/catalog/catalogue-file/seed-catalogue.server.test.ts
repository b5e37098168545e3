import { readFileSync } from "node:fs";
import { asc, eq } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { couponCodes, toolPageGrants, tools } from "#db/tables/catalog.ts";
import { auditEvents, settings } from "#db/tables/operations.ts";
import { accessCodes, credentials } from "#db/tables/vault.ts";
import { freshDatabase } from "#tests/database/database.ts";
import { openTestShop } from "#tests/fixtures/open-test-shop.ts";
import type { Actor, Context } from "../../context.ts";
import { isDomainError } from "../../errors.ts";
import type { Ports } from "../../ports.ts";
import { readStoredSettings, STORE_SETTINGS_KEY } from "../store-settings.server.ts";
import { parseCatalogueFile } from "./catalogue-file.ts";
import { seedCatalogue } from "./seed-catalogue.server.ts";

const demoText = readFileSync(new URL("../../../db/seed/demo-catalogue.json", import.meta.url), "utf8");
const demo = parseCatalogueFile(demoText);
const now = new Date("2026-11-21T10:00:00Z");

const shop = openTestShop(await freshDatabase(), {
  clock: { now: () => now },
  origin: "http://localhost:3000",
});
const { db } = shop;
const { cipher } = shop.ports;
afterAll(() => shop.close());

/** Throws when seeding uses any other port than the cipher. */
function portsWithCipher(): Ports {
  return new Proxy<Ports>(Object.create(null), {
    get: (_ports, name) => {
      if (name === "cipher") return cipher;
      throw new Error(`seeding used the port ${String(name)}`);
    },
  });
}

const contextOf = (actor: Actor): Context => ({ ...shop.contextFor(actor), ports: portsWithCipher() });

const system = contextOf({ kind: "system" });
const person = { userId: "01900000-0000-7000-8000-000000000001", email: "a@example.com", sessionId: "s" };

async function emptyShop(): Promise<void> {
  await db.execute(
    "truncate tools, tool_page_openers, coupon_codes, access_codes, credentials, settings, audit_events cascade",
  );
}

beforeEach(emptyShop);
afterEach(emptyShop);

test("every section of the catalogue file is seeded into its table", async () => {
  expect(await seedCatalogue(system, demo)).toBe("seeded");
  const rows = await db.select().from(tools).orderBy(asc(tools.createdAt));
  expect(rows.map(({ slug }) => slug)).toEqual(demo.tools.map(({ slug }) => slug));
  for (const [index, row] of rows.entries()) expect(row).toMatchObject(demo.tools[index] ?? {});

  const coupons = await db
    .select({
      code: couponCodes.code,
      slug: tools.slug,
      limit: couponCodes.usageLimit,
      taken: couponCodes.usesTaken,
    })
    .from(couponCodes)
    .innerJoin(tools, eq(tools.id, couponCodes.toolId));
  expect(coupons).toEqual([{ code: "WELCOME20", slug: "chatgpt", limit: 50, taken: 0 }]);

  expect(await readStoredSettings(system, db)).toEqual(demo.store);
  const audit = await db
    .select({ actor: auditEvents.actorKind, action: auditEvents.action })
    .from(auditEvents);
  expect(audit).toEqual([{ actor: "system", action: "catalogue.seeded" }]);
});

test("grants for tools and for names are seeded", async () => {
  await seedCatalogue(system, demo);
  const rows = await db
    .select({ slug: tools.slug, name: toolPageGrants.toolName })
    .from(toolPageGrants)
    .leftJoin(tools, eq(tools.id, toolPageGrants.toolId))
    .where(eq(toolPageGrants.page, "aihumanizer"));
  expect(rows.flatMap(({ slug }) => slug ?? []).sort()).toEqual(["aihumanizer", "stealth-writer"]);
  expect(rows.flatMap(({ name }) => name ?? [])).toContain("Write Human Pro");
});

test("seeding seals access codes and passwords for their row and column, and stores the hashes of codes", async () => {
  await seedCatalogue(system, demo);
  const codes = await db.select().from(accessCodes);
  const opened = codes.map((row) =>
    cipher.open(row.simpleCodeSealed, { table: "access_codes", rowId: row.id, column: "simple_code_sealed" }),
  );
  expect(opened.sort()).toEqual(demo.accessCodes.map(({ simpleCode }) => simpleCode).sort());
  const [given] = demo.accessCodes;
  const found = codes.filter((row) => row.simpleCodeHash === cipher.lookupHash(given?.simpleCode ?? ""));
  expect(found.map((row) => row.serverName)).toEqual([given?.serverName]);

  const session = codes.map((row) =>
    cipher.open(row.sessionCodeSealed, {
      table: "access_codes",
      rowId: row.id,
      column: "session_code_sealed",
    }),
  );
  expect(new Set(session).size).toBe(codes.length);
  expect(session.filter((code) => code.startsWith("ChatGPT-Pro-"))).toHaveLength(3);

  const passwords = (await db.select().from(credentials)).map((row) =>
    cipher.open(row.passwordSealed, { table: "credentials", rowId: row.id, column: "password_sealed" }),
  );
  expect(passwords.sort()).toEqual(demo.credentials.map(({ password }) => password).sort());
});

test("seeding stores no secret of the file in plain text", async () => {
  await seedCatalogue(system, demo);
  const everything = JSON.stringify(
    await Promise.all(
      [tools, toolPageGrants, couponCodes, accessCodes, credentials, settings, auditEvents].map((table) =>
        db.select().from(table),
      ),
    ),
  );
  const secrets = [
    ...demo.accessCodes.map((row) => row.simpleCode),
    ...demo.credentials.map((row) => row.password),
  ];
  expect(secrets.filter((secret) => everything.includes(secret))).toEqual([]);
});

test("seeding keeps a session code of the file", async () => {
  const [first, ...others] = demo.accessCodes;
  if (first === undefined) throw new Error("the demo has no access code");
  await seedCatalogue(system, {
    ...demo,
    accessCodes: [{ ...first, sessionCode: "given-session" }, ...others],
  });
  const rows = await db
    .select()
    .from(accessCodes)
    .where(eq(accessCodes.sessionCodeHash, cipher.lookupHash("given-session")));
  expect(rows).toHaveLength(1);
});

test("a catalogue is not seeded again when the tools were deleted", async () => {
  await seedCatalogue(system, demo);
  await db.execute("truncate tools cascade");
  expect(await seedCatalogue(system, demo)).toBe("already-decided");
  expect(await db.$count(tools)).toBe(0);
});

test("a shop that has tools is not seeded", async () => {
  await db.insert(tools).values({ slug: "own", name: "Own", description: "Mine.", pricePaise: 100 });
  expect(await seedCatalogue(system, demo)).toBe("not-empty");
  expect(await db.$count(tools)).toBe(1);
  expect(await db.$count(settings, eq(settings.key, STORE_SETTINGS_KEY))).toBe(0);
});

test("eight parallel calls seed the catalogue once", async () => {
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => seedCatalogue(system, demo)));
  expect(outcomes.filter((outcome) => outcome === "seeded")).toHaveLength(1);
  expect(await db.$count(tools)).toBe(demo.tools.length);
});

test("seeding rolls back when the file fails half-way, and can then be called again", async () => {
  const broken = {
    ...demo,
    coupons: demo.coupons.map((coupon) => ({ ...coupon, toolSlug: "gone" })),
  };
  await expect(seedCatalogue(system, broken)).rejects.toThrow('"gone"');
  expect(await db.$count(tools)).toBe(0);
  expect(await seedCatalogue(system, demo)).toBe("seeded");
});

test.each<Actor>([
  { kind: "visitor" },
  { kind: "user", ...person },
  { kind: "admin", ...person },
])("seeding refuses the actor $kind", async (actor) => {
  await expect(seedCatalogue(contextOf(actor), demo)).rejects.toSatisfy((error) =>
    isDomainError(error, "forbidden"),
  );
  expect(await db.$count(tools)).toBe(0);
});
