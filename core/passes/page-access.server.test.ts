import { expect, test } from "vitest";
import { decidePageAccess, type PageAccessFacts } from "./access.server.ts";

const passExpiresAt = new Date("2026-12-21T00:00:00Z");
const withoutPass: PageAccessFacts = {
  isAdmin: false,
  toolIsFree: false,
  toolIsInCatalogue: true,
  passExpiresAt: null,
};
const required = { access: "required" };
const withoutEnd = { access: "granted", expiresAt: null };
const untilPassExpires = { access: "granted", expiresAt: passExpiresAt };

test.each<[string, string, Partial<PageAccessFacts>, object]>([
  ["required", "a user without a pass", {}, required],
  ["granted", "an active pass", { passExpiresAt }, untilPassExpires],
  [
    "granted",
    "an active pass of a tool that is off sale",
    { passExpiresAt, toolIsInCatalogue: false },
    untilPassExpires,
  ],
  ["granted", "a free tool", { toolIsFree: true }, withoutEnd],
  ["required", "a free tool that is off sale", { toolIsFree: true, toolIsInCatalogue: false }, required],
  ["granted", "an admin", { isAdmin: true }, withoutEnd],
  [
    "granted",
    "an admin and a tool that is off sale",
    { isAdmin: true, toolIsInCatalogue: false },
    withoutEnd,
  ],
])("page access is %s for %s", (_access, _what, facts, expected) => {
  expect(decidePageAccess({ ...withoutPass, ...facts })).toEqual(expected);
});
