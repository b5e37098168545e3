import { expect, test } from "vitest";
import { decidePageAccess, type PageAccessFacts } from "./page-access-rules.ts";

const passEndsAt = new Date("2026-12-21T00:00:00Z");
const stranger: PageAccessFacts = {
  isAdmin: false,
  toolIsFree: false,
  toolIsInCatalogue: true,
  passEndsAt: null,
};
const required = { access: "required" };
const forever = { access: "granted", expiresAt: null };

test.each<[string, Partial<PageAccessFacts>, object]>([
  ["nothing", {}, required],
  ["a running pass", { passEndsAt }, { access: "granted", expiresAt: passEndsAt }],
  [
    "a running pass of a tool no longer sold",
    { passEndsAt, toolIsInCatalogue: false },
    { access: "granted", expiresAt: passEndsAt },
  ],
  ["a free tool", { toolIsFree: true }, forever],
  ["a free tool no longer offered", { toolIsFree: true, toolIsInCatalogue: false }, required],
  ["the admin's role", { isAdmin: true }, forever],
  ["the admin's role, for a tool no longer sold", { isAdmin: true, toolIsInCatalogue: false }, forever],
])("with %s", (_what, facts, expected) => {
  expect(decidePageAccess({ ...stranger, ...facts })).toEqual(expected);
});
