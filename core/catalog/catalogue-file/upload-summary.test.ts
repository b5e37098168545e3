import { expect, test } from "vitest";
import { summariseUpload } from "./apply-catalogue.server.ts";
import type { CatalogueChange } from "./catalogue-plan.ts";

const added = (key: string): CatalogueChange => ({
  section: "tools",
  key,
  name: key,
  kind: "added",
  fields: [],
});
const changed = (key: string, after = "new"): CatalogueChange => ({
  section: "tools",
  key,
  name: key,
  kind: "changed",
  fields: [{ field: "description", before: "old", after }],
});
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("a small upload is listed in full, without what it leaves unchanged", () => {
  const unchanged: CatalogueChange = { ...added("same"), kind: "unchanged" };
  expect(summariseUpload([added("canva"), changed("udemy"), unchanged])).toEqual({
    addedCount: 1,
    changedCount: 1,
    notListed: 0,
    added: [{ section: "tools", key: "canva" }],
    changed: [{ section: "tools", key: "udemy", fields: changed("udemy").fields }],
  });
});

test("a long entry is listed with the names of its fields only", () => {
  expect(summariseUpload([changed("canva", "x".repeat(2_000))]).changed).toEqual([
    { section: "tools", key: "canva", fields: [{ field: "description" }] },
  ]);
});

test("the summary of a large upload stays below 17 KB and counts everything", () => {
  const many = Array.from({ length: 3_000 }, (_, n) => [
    added(`new-${n}`),
    changed(`old-${n}`, "नया ".repeat(90)),
  ]);
  const summary = summariseUpload(many.flat());
  expect(bytesOf(summary)).toBeLessThan(17 * 1024);
  expect(summary).toMatchObject({ addedCount: 3_000, changedCount: 3_000 });
  expect(summary.changed.length).toBeGreaterThan(10);
  expect(summary.added.length + summary.changed.length + summary.notListed).toBe(6_000);
});
