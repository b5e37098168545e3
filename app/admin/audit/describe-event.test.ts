import { expect, test } from "vitest";
import { describeActor, describeEvent } from "./describe-event.ts";

const event = { action: "tool.updated", subjectName: null, details: {} };

test.each([
  [{ action: "tool.updated", subjectName: "Canva" }, "Changed the tool Canva"],
  [{ action: "store-settings.saved" }, "Changed the settings"],
  [
    { action: "access-codes.added", subjectName: "Canva", details: { count: 3, serverName: "Server 1" } },
    "Added 3 access codes for Server 1 of Canva",
  ],
  [
    { action: "purchase.cancelled", subjectName: "Canva for a@example.com", details: { refund: true } },
    "Cancelled Canva for a@example.com, with a refund",
  ],
  [
    { action: "catalogue.uploaded", details: { added: [1], changed: [1, 2] } },
    "Uploaded a catalogue file (1 added, 2 changed)",
  ],
  [
    { action: "credential.deleted", details: { before: { service: "ChatGPT" } } },
    "Deleted the credential ChatGPT",
  ],
  [{ action: "coupon.deleted" }, "Deleted the coupon something that is gone"],
])("an event is one plain sentence: %o", (fields, sentence) => {
  expect(describeEvent({ ...event, ...fields })).toBe(sentence);
});

test.each([
  [{ action: "future.action" }, "future.action"],
  [{ action: "future.action", subjectName: "Canva" }, "future.action: Canva"],
  [{ action: "constructor" }, "constructor"],
])("an action without a sentence is shown as it is: %o", (fields, sentence) => {
  expect(describeEvent({ ...event, ...fields })).toBe(sentence);
});

test.each([
  [{ actorKind: "admin", actorEmail: "owner@example.com" }, "owner@example.com"],
  [{ actorKind: "user", actorEmail: "deleted" }, "A deleted account"],
  [{ actorKind: "visitor", actorEmail: null }, "A visitor"],
  [{ actorKind: "system", actorEmail: null }, "The shop itself"],
] as const)("the actor of an event has a name: %o", (actor, name) => {
  expect(describeActor(actor)).toBe(name);
});
