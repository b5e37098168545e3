import type { ListedAuditEvent } from "#core/audit/list-audit-events.server.ts";
import { BULK_ACTIONS, type BulkActionName } from "#core/bulk-actions/bulk-actions.ts";
import { describeBulkAction } from "../bulk-actions/bulk-texts.ts";
import { nameOfField } from "../field-names.ts";

type Event = Pick<ListedAuditEvent, "action" | "subjectName" | "details">;
type Sentence = string | ((subject: string, details: Event["details"]) => string);

/** What happened, by action. `subject`: the name of what it happened to. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  "tool.created": (tool) => `Added the tool ${tool}`,
  "tool.updated": (tool, details) => `Changed the tool ${tool}${whatChanged(details)}`,
  "tool.sold-when-not-ready": (tool) => `Put ${tool} on sale although it is not ready`,
  "tool.not-sold-when-not-ready": (tool) => `Took ${tool} off sale until it is ready`,
  "tool.purchases-joined": (tool, { purchases }) =>
    `Joined ${counted(purchases, "imported purchase")} with the tool ${tool}`,
  "tool.deleted": (tool) => `Deleted the tool ${tool}`,
  "store-settings.saved": (_, details) => `Changed the settings${whatChanged(details)}`,
  "reminders.turned-on": "Turned the reminders to buyers on",
  "reminders.turned-off": "Turned the reminders to buyers off",
  "resale.acknowledged": "Confirmed that this shop may resell what it lists",
  "backup.confirmed": "Confirmed that a backup is set up",
  "claims.confirmed": "Confirmed that the claims on the home page are true",
  "name.confirmed": "Confirmed the name of the shop",
  "texts.confirmed": "Confirmed the texts of the shop’s pages",
  "test-mail.confirmed": "Confirmed that a test email arrived",
  "store.restore-confirmed": "Confirmed that this restored shop is now the shop",
  "catalogue.seeded": "Loaded the first catalogue into the empty shop",
  "catalogue.uploaded": (_, { addedCount, added, changedCount, changed }) =>
    // Older events have no counts and list everything.
    `Uploaded a catalogue file (${addedCount ?? lengthOf(added)} added, ${changedCount ?? lengthOf(changed)} changed)`,
  "catalogue.downloaded": (_, { includeSecrets }) =>
    includeSecrets === true
      ? "Downloaded the catalogue file with codes and passwords"
      : "Downloaded the catalogue file",
  "credential.created": (credential) => `Added the credential ${credential}`,
  "credential.updated": (credential, details) =>
    `Changed the credential ${credential}${whatChanged(details)}`,
  "credential.deleted": (credential) => `Deleted the credential ${credential}`,
  "credential.revealed": (credential, { field }) =>
    `Viewed the ${field === "email" ? "email" : "password"} of the credential ${credential}`,
  "access-code.created": (code) => `Added an access code for ${code}`,
  "access-codes.added": (tool, { count, serverName }) =>
    `Added ${count === 1 ? "1 access code" : `${textOf(count)} access codes`} for ${textOf(serverName)} of ${tool}`,
  "access-code.updated": (code, details) => `Changed the access code for ${code}${whatChanged(details)}`,
  "access-codes.used-up": (tool, { serverName }) =>
    `A buyer got no code for ${textOf(serverName)} of ${tool}: all are in use`,
  "access-code.deleted": (code) => `Deleted the access code for ${code}`,
  "access-code.revealed": (code) => `Viewed the access code for ${code}`,
  "access-code.redeemed": (code) => `Redeemed the access code for ${code} with the browser extension`,
  "access-code.reported": (code) => `Reported that the access code for ${code} does not work`,
  "access-code.checked": (code, { reports }) =>
    `Confirmed that the access code for ${code} works and dismissed ${counted(reports, "report")}`,
  "coupon.created": (coupon) => `Added the coupon ${coupon}`,
  "coupon.updated": (coupon, details) => `Changed the coupon ${coupon}${whatChanged(details)}`,
  "coupon.deleted": (coupon) => `Deleted the coupon ${coupon}`,
  "purchase.assigned": (purchase) => `Assigned ${purchase}`,
  "purchase.sold-by-hand": (purchase) => `Recorded a sale paid by hand: ${purchase}`,
  "refund.given-back": (purchase) => `Entered how the refund for ${purchase} was given back`,
  "giveaway.claimed": (purchase) => `Won ${purchase} in the daily giveaway`,
  "purchase.extended": (purchase) => `Extended ${purchase}`,
  "purchase.renewal-moved": (purchase) => `Moved the start of ${purchase}`,
  "purchase.expiry-set": (purchase) => `Set the expiry date of ${purchase}`,
  "purchase.status-set": (purchase, { after }) =>
    `Set the status of ${purchase} to ${textOf(fieldOf(after, "status"))}`,
  "purchase.tool-joined": (purchase, { after }) =>
    `Joined ${purchase} with the tool ${textOf(fieldOf(after, "toolName"))}`,
  "imported-document.revealed": (document) =>
    `Viewed the passwords or codes of the old shop’s document ${document}`,
  "purchase.cancelled": (purchase, { refund }) =>
    `Cancelled ${purchase}${refund === true ? ", with a refund" : ", without a refund"}`,
  "purchase.gateway-asked": (purchase) => `Asked the payment provider about ${purchase}`,
  "purchase.deleted": (purchase) => `Deleted ${purchase}`,
  "refund.requested": (purchase) => `Started a refund for ${purchase}`,
  "refund.reopened": (purchase) => `Retried a failed refund for ${purchase}`,
  "payment.left-uncaptured": (purchase) =>
    `Did not take a payment for ${purchase}; the bank returns the money`,
  "payment.part-refunded": (purchase) =>
    `Recorded a partial refund for ${purchase}, made at the payment provider`,
  "unknown-payment.refunded": (_, { paymentId }) =>
    `Started a refund of the payment ${textOf(paymentId)}, which was missing from the backup`,
  "unknown-payment.assigned": (purchase, { paymentId }) =>
    `Assigned the payment ${textOf(paymentId)}, which was missing from the backup: ${purchase}`,
  "mail.queued-again": (mail) => `Put the email ${mail} back in the queue`,
  "mail.test-sent": (user) => `Sent a test email to ${user}`,
  // Not "Deleted 3 users": some of them may not have been done.
  "bulk-action.started": (_, { bulkAction, rows }) =>
    `Started to ${isBulkAction(bulkAction) && typeof rows === "number" ? describeBulkAction(bulkAction, rows) : "?"}`,
  "bulk-action.stopped": (_, { rows }) => `Stopped a bulk action with ${textOf(rows)} left to do`,
  "user.activated": (user) => `Activated ${user}`,
  "user.deactivated": (user) => `Deactivated ${user}`,
  "user.deleted": "Deleted an account",
  "device.connected": (_, { name }) => `Connected the device ${textOf(name)}`,
  // The details of a deleted account name only the device.
  "device.released": (user, { name }) =>
    `Released the device ${textOf(name)}${user.includes("@") ? ` of ${user}` : ""}`,
  "admin.created": (user) => `Created the first admin, ${user}`,
  "admin.signed-in": "Signed in to the admin area",
  "admin.signed-out": "Signed out of the admin area",
  "admin.request-refused": (_, { count }) =>
    `Was refused access to the admin area${count === 1 ? "" : `, ${textOf(count)} times within an hour`}`,
  "admin.sign-in-failed": (user) => `Failed to sign in to the admin area with ${user}`,
  "admin.password-reset": (user) => `Reset the admin password of ${user}`,
  "admin.password-confirmation-failed": "Entered a wrong password when asked to confirm an action",
  "shop.imported": (_, { collection, created }) =>
    `Imported ${counted(created, "document")} of the collection ${textOf(collection)} from the old shop`,
  // An older version, which took uploads of an old shop, wrote it.
  "import.uploaded": (_, { fileName }) => `Uploaded the old shop’s export ${textOf(fileName)}`,
  "import.started": (_, { fileName, dryRun }) =>
    dryRun === true
      ? `Checked the old shop’s export ${textOf(fileName)} again`
      : `Started the import of the old shop’s export ${textOf(fileName)}`,
  "backup.started": "Started a backup of the shop",
  "vault.rotated": (_, details) => `Encrypted ${secretsIn(details)} with the new key`,
  "vault.given-up": (_, details) => `Deleted ${secretsIn(details)} because their key was lost`,
  "sessions.ended": "Signed everyone out because the session key was lost",
  "vault.keys-removed": "Removed encryption keys that are no longer needed",
  "account.signed-up": "Signed up",
  "account.signed-in": "Signed in",
  "account.signed-out": "Signed out",
  "account.google-linked": "Connected Google as a second way to sign in",
  "account.taken-over":
    "Signed in with Google to an account with an unconfirmed address; its password was removed",
  "account.sign-in-failed": (user) => `Failed to sign in with ${user}`,
  "account.password-reset": "Set a new password with a reset link",
  "account.password-changed": "Changed the password",
  "account.password-change-failed": "Entered a wrong password when changing the password",
  "account.owner-confirmation-failed":
    "Entered a wrong password to download the account’s data or delete the account",
  "account.data-downloaded": "Downloaded all data of the account",
  "account.deleted": "Deleted their own account",
  "account.renamed": "Changed the name of the account",
  "account.session-ended": "Signed out another browser",
  "account.other-sessions-ended": (_, { sessionsEnded }) =>
    `Signed out ${counted(sessionsEnded, "other browser")}`,
  "user.reset-link-created": (user) => `Created a password reset link for ${user}`,
  "account.reset-requested": (user) => `Requested a password reset email for ${user}`,
};

/** Facts that say that a secret was changed, and the name of the secret. */
const CHANGED_SECRETS: Readonly<Record<string, string>> = {
  passwordChanged: "password",
  simpleCodeChanged: "simple code",
  sessionCodeChanged: "session code",
};

/** The names of the changed fields: ": price, stock". No values, which the details of the event have. */
function whatChanged({ before, after, ...facts }: Event["details"]): string {
  const fields = new Set([...keysOf(before), ...keysOf(after)]);
  const names = [...fields].map((field) => nameOfField(field)).map(lowerFirst);
  const secrets = Object.entries(CHANGED_SECRETS).filter(([fact]) => facts[fact] === true);
  const all = [...names, ...secrets.map(([, name]) => name)];
  return all.length === 0 ? "" : `: ${all.join(", ")}`;
}

const keysOf = (value: unknown) => (typeof value === "object" && value !== null ? Object.keys(value) : []);
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

const NAMELESS = "[deleted]";

/** One sentence about an event, such as "Changed the tool Canva". */
export function describeEvent({ action, subjectName, details }: Event): string {
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action] : undefined;
  if (sentence === undefined) return subjectName === null ? action : `${action}: ${subjectName}`;
  if (typeof sentence === "string") return sentence;
  const nameless = action.includes("sign-in-failed") ? "an unknown address" : NAMELESS;
  return sentence(subjectName ?? nameInDetails(details) ?? nameless, details);
}

const isBulkAction = (name: unknown): name is BulkActionName =>
  typeof name === "string" && Object.hasOwn(BULK_ACTIONS, name);

/** What the details call the subject, such as the tool before its deletion. */
function nameInDetails(details: Event["details"]): string | null {
  const places = [details.before, details.after, details];
  for (const field of ["name", "code", "service", "serverName", "toolName"]) {
    const name = places.map((place) => fieldOf(place, field)).find((value) => typeof value === "string");
    if (name !== undefined) return String(name);
  }
  return null;
}

function fieldOf(record: unknown, name: string): unknown {
  if (typeof record !== "object" || record === null) return undefined;
  return new Map<string, unknown>(Object.entries(record)).get(name);
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const textOf = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? String(value) : "?";

const counted = (count: unknown, noun: string) => `${textOf(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Events of a shop without an import do not count documents. */
function secretsIn({ accessCodes, credentials, importedDocuments }: Event["details"]): string {
  const secrets = [counted(accessCodes, "access code"), counted(credentials, "password")];
  if (typeof importedDocuments !== "number" || importedDocuments === 0) return secrets.join(" and ");
  return `${secrets.join(", ")} and ${counted(importedDocuments, "document")} of the old shop`;
}

const ACTORS = { visitor: "A visitor", system: "The shop itself" };

/** What only the owner of an account does, in a request without a session. */
const OF_ONES_OWN_ACCOUNT: readonly string[] = [
  "account.signed-up",
  "account.signed-in",
  "account.google-linked",
  "account.taken-over",
  "account.password-reset",
  "admin.signed-in",
  "device.connected",
];

type WithActor = Pick<ListedAuditEvent, "action" | "actorKind" | "actorEmail" | "subjectName">;

/** Who did it. */
export function describeActor({ action, actorKind, actorEmail, subjectName }: WithActor): string {
  if (OF_ONES_OWN_ACCOUNT.includes(action) && subjectName?.includes("@")) return subjectName;
  if (actorEmail?.includes("@")) return actorEmail;
  return actorKind === "user" || actorKind === "admin" ? "A deleted account" : ACTORS[actorKind];
}
