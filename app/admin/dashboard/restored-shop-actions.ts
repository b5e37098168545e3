import { z } from "zod";
import { confirmRestoredShop } from "#core/backups/restored-shop.server.ts";
import { formatPaise } from "#core/money.ts";
import { assignUnknownPayment, refundUnknownPayment } from "#core/payments/unknown-payments.server.ts";
import { methodNotAllowed } from "../../request/json-response.ts";
import { adminAction } from "../admin-routes.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";

const refundedSchema = z.object({ amountPaise: z.number() });
const assignedSchema = z.object({ toolName: z.string(), email: z.string(), isTakenOver: z.boolean() });

function describeAssigned(value: unknown): string {
  const { toolName, email, isTakenOver } = assignedSchema.parse(value);
  const done = `Assigned: ${email} now has ${toolName} and gets a receipt by email.`;
  if (!isTakenOver) return done;
  return `${done} Nobody had confirmed that address, so the password of the account was removed: the buyer sets a new one with "Forgot password?", or with a link that you make under Users.`;
}

const UNCONFIRMED = { "shop-not-confirmed": "First confirm that this is now the shop." };

/** POST { intent: confirm, refund or assign, … }: what admins do after the shop was restored from a backup. */
export const action = adminAction({
  confirm: {
    run: confirmRestoredShop,
    done: "Confirmed. The shop is open, and everything that was waiting runs now.",
    failed: "Failed to confirm",
  },
  refund: {
    run: refundUnknownPayment,
    done: (value) => `The refund of ${formatPaise(refundedSchema.parse(value).amountPaise)} has started.`,
    failed: "Failed to refund the payment",
    refusals: UNCONFIRMED,
  },
  assign: {
    run: assignUnknownPayment,
    done: describeAssigned,
    failed: "Failed to assign the payment",
    refusals: {
      ...UNCONFIRMED,
      "already-owned":
        "This buyer already has a pass for this tool. Extend that pass and refund this payment.",
      "user-disabled": "This account is deactivated. Activate it first.",
      "tool-out-of-stock": "This tool is sold out. Add a unit of stock first.",
    },
  },
});

export const clientAction = callAdminAction;

export function loader(): Response {
  return methodNotAllowed("POST");
}
