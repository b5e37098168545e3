import { expect, test } from "vitest";
import { describeActor, describeEvent } from "./describe-event.ts";

const event = { action: "tool.updated", subjectName: null, details: {} };

test.each([
  [{ action: "tool.updated", subjectName: "Canva" }, "Changed the tool Canva"],
  [{ action: "store-settings.saved" }, "Changed the settings"],
  [
    { action: "bulk-action.started", details: { bulkAction: "cancel-purchases", rows: 1, reason: "x" } },
    "Started to cancel 1 purchase without a refund",
  ],
  [
    { action: "bulk-action.started", details: { bulkAction: "delete-access-codes", rows: 1234 } },
    "Started to delete 1,234 access codes",
  ],
  [{ action: "bulk-action.stopped", details: { rows: 30 } }, "Stopped a bulk action with 30 left to do"],
  // Of a version that this one does not know.
  [{ action: "bulk-action.started", details: { bulkAction: "paint-users", rows: 2 } }, "Started to ?"],
  [
    { action: "import.uploaded", details: { fileName: "old-shop.zip" } },
    "Uploaded the old shop’s export old-shop.zip",
  ],
  [
    { action: "import.started", details: { fileName: "old-shop.zip", dryRun: false } },
    "Started the import of the old shop’s export old-shop.zip",
  ],
  [
    {
      action: "tool.updated",
      subjectName: "Canva",
      details: {
        before: { pricePaise: 100, availableStock: 1 },
        after: { pricePaise: 200, availableStock: 2 },
      },
    },
    "Changed the tool Canva: price, stock",
  ],
  [
    {
      action: "tool.updated",
      subjectName: "QuillBot",
      details: { before: { badge: null }, after: { badge: "Loved" } },
    },
    "Changed the tool QuillBot: badge",
  ],
  [
    {
      action: "store-settings.saved",
      details: { before: { supportPhones: [] }, after: { supportPhones: [] } },
    },
    "Changed the settings: support numbers",
  ],
  [
    {
      action: "credential.updated",
      subjectName: "Canva",
      details: { before: { email: "a" }, after: { email: "b" }, passwordChanged: true },
    },
    "Changed the credential Canva: email, password",
  ],
  [
    {
      action: "access-code.updated",
      subjectName: "Server 1 of Canva",
      details: { before: {}, after: {}, simpleCodeChanged: true, sessionCodeChanged: false },
    },
    "Changed the access code for Server 1 of Canva: simple code",
  ],
  [
    { action: "access-codes.added", subjectName: "Canva", details: { count: 3, serverName: "Server 1" } },
    "Added 3 access codes for Server 1 of Canva",
  ],
  [
    { action: "purchase.cancelled", subjectName: "Canva for a@example.com", details: { refund: true } },
    "Cancelled Canva for a@example.com, with a refund",
  ],
  [
    { action: "giveaway.claimed", subjectName: "Canva for a@example.com" },
    "Won Canva for a@example.com in the daily giveaway",
  ],
  [
    { action: "purchase.renewal-moved", subjectName: "Canva for a@example.com" },
    "Moved the start of Canva for a@example.com",
  ],
  [
    { action: "catalogue.uploaded", details: { added: [1], changed: [1, 2] } },
    "Uploaded a catalogue file (1 added, 2 changed)",
  ],
  [
    { action: "catalogue.uploaded", details: { addedCount: 900, changedCount: 0, added: [1], changed: [] } },
    "Uploaded a catalogue file (900 added, 0 changed)",
  ],
  [
    { action: "credential.deleted", details: { before: { service: "ChatGPT" } } },
    "Deleted the credential ChatGPT",
  ],
  [
    { action: "access-code.deleted", details: { before: { toolId: "t", serverName: "Server 1" } } },
    "Deleted the access code for Server 1",
  ],
  [
    { action: "access-code.revealed", details: { toolId: "t", serverName: "Server 1" } },
    "Viewed the access code for Server 1",
  ],
  [
    { action: "access-code.redeemed", subjectName: "Server 1 of Canva", details: { deviceId: "d" } },
    "Redeemed the access code for Server 1 of Canva with the browser extension",
  ],
  [
    { action: "access-code.checked", subjectName: "Server 1 of Canva", details: { reports: 2 } },
    "Confirmed that the access code for Server 1 of Canva works and dismissed 2 reports",
  ],
  [
    { action: "device.connected", subjectName: "a@example.com", details: { name: "Firefox on Windows" } },
    "Connected the device Firefox on Windows",
  ],
  [
    { action: "device.released", subjectName: "a@example.com", details: { name: "Firefox on Windows" } },
    "Released the device Firefox on Windows of a@example.com",
  ],
  [
    { action: "device.released", details: { name: "Firefox on Windows" } },
    "Released the device Firefox on Windows",
  ],
  [{ action: "coupon.created", details: { after: { code: "DIWALI" } } }, "Added the coupon DIWALI"],
  [{ action: "admin.sign-in-failed" }, "Failed to sign in to the admin area with an unknown address"],
  [
    { action: "vault.rotated", details: { accessCodes: 40, credentials: 1 } },
    "Encrypted 40 access codes and 1 password with the new key",
  ],
  [{ action: "coupon.deleted" }, "Deleted the coupon [deleted]"],
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

const somebody = { action: "tool.updated", actorKind: "admin", actorEmail: null, subjectName: null } as const;

test.each([
  [{ actorEmail: "owner@example.com", subjectName: "asha@example.com" }, "owner@example.com"],
  [{ actorKind: "user", actorEmail: "deleted" }, "A deleted account"],
  [{ actorKind: "visitor" }, "A visitor"],
  [{ actorKind: "system" }, "The shop itself"],
  [
    { actorKind: "visitor", action: "account.signed-up", subjectName: "asha@example.com" },
    "asha@example.com",
  ],
  [{ actorKind: "visitor", action: "device.connected", subjectName: "asha@example.com" }, "asha@example.com"],
  [{ actorKind: "visitor", action: "account.sign-in-failed", subjectName: "asha@example.com" }, "A visitor"],
] as const)("the actor of an event has a name: %o", (actor, name) => {
  expect(describeActor({ ...somebody, ...actor })).toBe(name);
});
