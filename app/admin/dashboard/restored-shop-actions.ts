import { z } from "zod";
import { confirmRestoredShop } from "#core/backups/restored-shop.server.ts";
import { formatPaise } from "#core/money.ts";
import { refundUnknownPayment } from "#core/payments/unknown-payments.server.ts";
import { methodNotAllowed } from "../../request/json-response.ts";
import { adminAction } from "../admin-routes.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";

const refundedSchema = z.object({ amountPaise: z.number() });
/** POST { intent: confirm or refund, … }: what admins do after the shop was restored from a backup. */
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
    refusals: { "shop-not-confirmed": "First confirm that this is now the shop." },
  },
});

export const clientAction = callAdminAction;

export function loader(): Response {
  return methodNotAllowed("POST");
}
