// The small variant of zod, because these schemas are a part of every tool page.
import * as z from "zod/mini";

/*
 * Messages between a page of the shop and the extension. Anyone can send a message, so the receiver parses each one, and
 * the shop never trusts what it says: `ticket` connects the installation to the account, and the device token decides.
 */

/** How long a page waits for the extension. */
export const EXTENSION_TIMEOUT_MS = 10_000;

export const DEFAULT_BLOCK_MESSAGE = "Maximum installations exceeded";

/** Where the pages of a browser keep the id of its installation, in localStorage. The id opens nothing. */
export const INSTALLATION_KEY = "daypass.installation";

export const TRIGGER_TYPE = "TRIGGER_EXTENSION_ACTION";
export const RESPONSE_TYPE = "EXTENSION_RESPONSE";
const PRESENCE_REQUEST_TYPE = "DAYPASS_EXTENSION_REQUEST";
const PRESENCE_TYPE = "DAYPASS_EXTENSION_PRESENT";

const text = (max: number) => z.string().check(z.minLength(1), z.maxLength(max));

const code = text(500);
const toolName = text(200);
const email = z.string().check(z.maxLength(320));
/** A single-use ticket from the shop; absent: an installation that has no device token yet cannot redeem. */
const ticket = z.optional(text(200));
/** Set by the page and repeated in the response, so that a page with several requests tells them apart. */
const requestId = z.optional(text(100));

/** Page to extension, by `window.postMessage`: redeem this code. */
export const triggerSchema = z.object({
  type: z.literal(TRIGGER_TYPE),
  accessCode: code,
  toolName,
  userEmail: email,
  ticket,
  requestId,
});
export type Trigger = z.infer<typeof triggerSchema>;

/** Page to extension, by `runtime.sendMessage` where the browser allows it: the same with the names of a pasted text. */
export const pasteDataSchema = z.object({
  action: z.literal("processPasteData"),
  clipboardText: code,
  userEmail: email,
  toolName,
  ticket,
  requestId,
});
export type PasteData = z.infer<typeof pasteDataSchema>;

/** How many browsers an account may use, when the shop refused one more. */
export const browserLimit = z.optional(z.int().check(z.minimum(1)));

/** What a buyer reads about that limit: for one browser, and for any other count. The page translates it. */
export const LIMIT_MESSAGES = {
  one: "Already in 1 browser. Remove it to use this one.",
  other: "Already in {count} browsers. Remove one to use it here.",
} as const;

/** The same in English. */
export const limitMessage = (limit: number) =>
  limit === 1 ? LIMIT_MESSAGES.one : LIMIT_MESSAGES.other.replace("{count}", String(limit));

/** Extension to page: the answer to either of them. `message` is for the buyer; an extension may leave it out, also as null. */
export const responseSchema = z.object({
  type: z.literal(RESPONSE_TYPE),
  blocked: z.boolean(),
  message: z.pipe(
    z.nullish(z.string().check(z.maxLength(500))),
    z.transform((message) => message ?? ""),
  ),
  limit: browserLimit,
  requestId,
});
export type ExtensionResponse = z.infer<typeof responseSchema>;

/** Page to extension: is an extension there? */
export const presenceRequestSchema = z.object({ type: z.literal(PRESENCE_REQUEST_TYPE) });
export const PRESENCE_REQUEST: z.infer<typeof presenceRequestSchema> = { type: PRESENCE_REQUEST_TYPE };

/** Extension to page, when the page has loaded and on request. */
export const presenceSchema = z.object({
  type: z.literal(PRESENCE_TYPE),
  version: z.string().check(z.regex(/^\d{1,5}(\.\d{1,5}){0,3}$/)),
});
export type Presence = z.infer<typeof presenceSchema>;

/** @param version of the installed extension, such as `1.2.0` */
export function presence(version: string): Presence {
  return { type: PRESENCE_TYPE, version };
}
