import type { ErrorCode } from "#core/errors.ts";
import type { MessageRule } from "./message-rule.ts";

/** Refusals of what admins edit. */
export const ADMIN_MESSAGES = {
  "tool-name-taken": { status: 409, message: "Another tool has this name.", field: "name" },
  "coupon-code-taken": { status: 409, message: "Another coupon has this code.", field: "code" },
  "coupon-missing": { status: 404, message: "Coupon not found" },
  "access-code-taken": { status: 409, message: "This simple code is already in use.", field: "simpleCode" },
  "access-code-in-use": {
    status: 409,
    message: "A buyer has this code, so you can’t change its tool or server.",
    field: "serverName",
  },
  "access-code-replaced": {
    status: 409,
    message: "The buyer who had this code has another one now.",
    field: "isActive",
  },
  "server-has-shared-codes": {
    status: 409,
    message: "This server has an active code for all buyers. Deactivate it first.",
    field: "serverName",
  },
  "server-has-codes-per-buyer": {
    status: 409,
    message: "This server gives each buyer their own code.",
    field: "serverName",
  },
  "credential-taken": {
    status: 409,
    message: "There is already a credential with this service and email.",
    field: "email",
  },
  "pass-not-changeable": {
    status: 409,
    message: "Only a completed purchase that has not ended can be changed.",
  },
  "pass-overlap": {
    status: 409,
    message: "The user has another pass for this tool in that time.",
  },
} satisfies Partial<Record<ErrorCode, MessageRule>>;
