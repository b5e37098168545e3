import { z } from "zod";

/*
 * The JSON of the endpoints under `/extension`, which only the extension calls. Each request but the first carries the
 * device token as `Authorization: Bearer`. Times are UTC in ISO 8601. The schemas of responses accept more fields than they
 * name, so that an older extension understands a newer shop.
 */

/** POST /extension/devices: trades a ticket for a device token. */
export const connectRequestSchema = z.object({
  ticket: z.string().min(1).max(200),
  installationId: z.uuid(),
  /** What the buyer sees in the list of devices, such as `Chrome on Linux`. */
  name: z.string().trim().min(1).max(60),
  version: z.string().min(1).max(30),
});
export type ConnectRequest = z.infer<typeof connectRequestSchema>;

export const connectResponseSchema = z.object({ token: z.string().min(1).max(200) });

/** POST /extension/redeem: redeems the code of a server. */
export const redeemRequestSchema = z.object({ accessCode: z.string().min(1).max(500) });

const sessionSchema = z.object({
  id: z.uuid(),
  tool: z.string(),
  server: z.string(),
  /** Where Open goes: the address of the server, of the tool, or of the tool's page in the shop. */
  launchUrl: z.url(),
  /** When the pass ends; null for access without an end. */
  endsAt: z.iso.datetime().nullable(),
});
export type ExtensionSession = z.infer<typeof sessionSchema>;

export const redeemResponseSchema = z.object({ session: sessionSchema });

const passSchema = z.object({
  id: z.uuid(),
  tool: z.string(),
  /** The tool's page in the shop. */
  pageUrl: z.url(),
  endsAt: z.iso.datetime(),
});
export type ExtensionPass = z.infer<typeof passSchema>;

/** GET /extension/status: what the popup shows. */
export const statusResponseSchema = z.object({
  email: z.string(),
  /** The version that the shop serves. */
  latestVersion: z.string(),
  passes: z.array(passSchema),
  sessions: z.array(sessionSchema),
});
export type ExtensionStatus = z.infer<typeof statusResponseSchema>;

/** Every refusal. `code` is for the extension, `message` for the buyer. */
export const refusalSchema = z.object({ code: z.string(), message: z.string() });
export type Refusal = z.infer<typeof refusalSchema>;
