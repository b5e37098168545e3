import { CONNECTIONS_PER_DAY, DEFAULT_DEVICE_RULES, RELEASE_PERIOD_DAYS } from "#core/devices/rules.ts";
import type { ErrorCode } from "#core/errors.ts";
import { type Details, type MessageRule, refusalOf } from "./message-rule.ts";

/** Refusals of tool pages, access codes, credentials, devices and the extension. */
export const ACCESS_MESSAGES = {
  "access-required": { status: 403, message: "Access Required" },
  "access-code-not-found": {
    status: 404,
    message: ({ server = "this server" }: Details) => `No access code found for ${server}`,
  },
  "access-codes-used-up": {
    status: 404,
    message: ({ server = "this server" }: Details) =>
      `No access code found for ${server}. All its codes are in use. The shop has been told and will add new ones. Please try again later.`,
  },
  "access-code-for-passes": {
    status: 404,
    message: ({ server = "this server" }: Details) =>
      `No access code found for ${server}. Here each pass gets its own code, and you don’t have a pass.`,
  },
  "access-code-not-redeemable": {
    status: 404,
    message: "There is no such access code, or you have no active pass for its tool.",
  },
  "device-not-connected": {
    status: 401,
    message:
      "This browser is not connected. Open the tool’s page in the shop and press Click next to a server.",
  },
  "invalid-ticket": {
    status: 403,
    message: "This browser could not be connected in time. Press Click next to a server again.",
  },
  "device-limit-reached": { status: 403, message: "Maximum installations exceeded" },
  "device-connections-exceeded": {
    status: 429,
    message: `At most ${CONNECTIONS_PER_DAY} new installations can be connected in a day. Please try again tomorrow.`,
  },
  "device-releases-exceeded": {
    status: 429,
    message: ({ limit = DEFAULT_DEVICE_RULES.releasesPerPeriod }: Details) =>
      `At most ${limit} devices can be released in ${RELEASE_PERIOD_DAYS} days. Please contact support.`,
  },
  "redemptions-too-fast": refusalOf("redemption-device", "requests for codes"),
  "status-requests-too-fast": refusalOf("status-account", "requests"),
  "renames-too-fast": refusalOf("rename-account", "name changes"),
  "credential-not-found": {
    status: 404,
    message: ({ tool = "this tool" }: Details) => `No credentials found for ${tool}. Please contact support.`,
  },
  "reveals-too-fast": refusalOf("reveal-account", "requests for codes"),
  "reports-too-fast": refusalOf("report-account", "reports"),
} satisfies Partial<Record<ErrorCode, MessageRule>>;
