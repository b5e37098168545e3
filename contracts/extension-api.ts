import * as z from "zod/mini";
import { browserLimit } from "./page-messages.ts";

/*
 * The JSON of the endpoints under `/extension`, which only the extension calls. Each request but the first carries the
 * device token as `Authorization: Bearer`. Times are UTC in ISO 8601. The schemas accept more fields than they name, so
 * that an older extension understands a newer shop. The shop parses requests with the schemas of its operations.
 */

/** POST /extension/devices: trades a ticket for a device token. */
export interface ConnectRequest {
  ticket: string;
  /** A random UUID that the extension made when it was installed. */
  installationId: string;
  /** What the buyer sees in the list of devices, such as `Chrome on Linux`. */
  name: string;
  version: string;
}

export const connectResponseSchema = z.object({ token: z.string().check(z.minLength(1), z.maxLength(200)) });
export type ConnectResponse = z.infer<typeof connectResponseSchema>;

/** POST /extension/redeem: redeems the code of a server. */
export interface RedeemRequest {
  accessCode: string;
}

/** POST /extension/code: the access code of a redeemed server, as the tool page would show it now. */
export interface CodeRequest {
  sessionId: string;
}

export const codeResponseSchema = z.object({ code: z.string().check(z.minLength(1), z.maxLength(500)) });
export type CodeResponse = z.infer<typeof codeResponseSchema>;

/** Whether `endsAt` stands for none, as that of a lifetime pass. An older shop does not say it. */
const hasNoEnd = z._default(z.boolean(), false);

const sessionSchema = z.object({
  id: z.uuid(),
  tool: z.string(),
  server: z.string(),
  /** Where Open goes: the address of the server, of the tool, or of the tool's page in the shop. */
  launchUrl: z.url({ protocol: /^https?$/ }),
  /** When the pass ends; null for access without an end. */
  endsAt: z.nullable(z.iso.datetime()),
  hasNoEnd,
});
export type ExtensionSession = z.infer<typeof sessionSchema>;

export const redeemResponseSchema = z.object({ session: sessionSchema });
export type RedeemResponse = z.infer<typeof redeemResponseSchema>;

const passSchema = z.object({
  id: z.uuid(),
  tool: z.string(),
  /** The tool's page in the shop. */
  pageUrl: z.url({ protocol: /^https?$/ }),
  endsAt: z.iso.datetime(),
  hasNoEnd,
});
export type ExtensionPass = z.infer<typeof passSchema>;

const endedPassSchema = z.object({
  id: z.uuid(),
  tool: z.string(),
  /** The tool's page in the shop, where the pass is renewed. */
  pageUrl: z.url({ protocol: /^https?$/ }),
  endedAt: z.iso.datetime(),
});
export type EndedPass = z.infer<typeof endedPassSchema>;

/** GET /extension/status: what the popup shows. */
export const statusResponseSchema = z.object({
  email: z.string(),
  /** The version that the shop serves. */
  latestVersion: z.string(),
  passes: z.array(passSchema),
  /** Passes that ended a short time ago. */
  ended: z._default(z.array(endedPassSchema), []),
  sessions: z.array(sessionSchema),
});
export type ExtensionStatus = z.infer<typeof statusResponseSchema>;

/** Every refusal. `code` is for the extension, `message` for the buyer. */
export const refusalSchema = z.object({
  code: z.string(),
  message: z.string(),
  /** With the code `device-limit-reached`: how many browsers an account may use. */
  limit: browserLimit,
});
export type Refusal = z.infer<typeof refusalSchema>;
