import { z } from "zod";
import type { Effect } from "../authorise.ts";
import { rowId } from "../form-fields.ts";
import { MAX_COUNTED } from "../lists/paging.ts";
import { extendPurchaseSchema, setPurchaseExpirySchema } from "../passes/schemas.ts";
import { cancelWithoutRefundSchema } from "../payments/schemas.ts";

export type BulkKind = "users" | "purchases" | "access-codes" | "coupons";

/** More rows are refused: a list can be paged through as many. */
export const MAX_BULK_ROWS = MAX_COUNTED;

const nothing = z.object({});

/** What can be done to many rows at once: to rows of which list, with which effect, and what has to be entered for all of them. */
export const BULK_ACTIONS = {
  "activate-users": { kind: "users", effect: "changes-access", input: nothing },
  "deactivate-users": { kind: "users", effect: "changes-access", input: nothing },
  "delete-users": { kind: "users", effect: "deletes", input: nothing },
  "extend-purchases": {
    kind: "purchases",
    effect: "changes-access",
    input: extendPurchaseSchema.omit({ purchaseId: true }),
  },
  "set-purchase-expiry": {
    kind: "purchases",
    effect: "changes-access",
    input: setPurchaseExpirySchema.omit({ purchaseId: true }),
  },
  "cancel-purchases": {
    kind: "purchases",
    effect: "moves-money",
    input: cancelWithoutRefundSchema.omit({ purchaseId: true }),
  },
  "activate-access-codes": { kind: "access-codes", effect: "replaces-secret", input: nothing },
  "deactivate-access-codes": { kind: "access-codes", effect: "replaces-secret", input: nothing },
  "delete-access-codes": { kind: "access-codes", effect: "deletes", input: nothing },
  "activate-coupons": { kind: "coupons", effect: "changes-price", input: nothing },
  "deactivate-coupons": { kind: "coupons", effect: "changes-price", input: nothing },
  "delete-coupons": { kind: "coupons", effect: "deletes", input: nothing },
} as const satisfies Record<string, { kind: BulkKind; effect: Effect; input: z.ZodObject }>;

export type BulkActionName = keyof typeof BULK_ACTIONS;

const actionName = z.custom<BulkActionName>(
  (name) => typeof name === "string" && Object.hasOwn(BULK_ACTIONS, name),
);

/** The rows that were ticked, or all rows of a list. */
export const countBulkActionSchema = z
  .object({
    action: actionName,
    /** Separated by commas. */
    ids: z
      .string()
      .max((MAX_BULK_ROWS + 1) * 37)
      .transform((text) => text.split(","))
      .pipe(z.array(rowId()).max(MAX_BULK_ROWS, `At most ${MAX_BULK_ROWS} rows.`))
      .refine((ids) => new Set(ids).size === ids.length)
      .optional(),
    /** The parameters of the list's address. */
    list: z.string().max(8000).optional(),
  })
  .refine(({ ids, list }) => (ids === undefined) !== (list === undefined));

export const bulkActionIdSchema = z.object({ id: rowId() });

export const startBulkActionSchema = bulkActionIdSchema.extend({ action: actionName });

/** Why a row was not done, besides the refusals of its operation. */
export const OWN_REASONS = {
  unchanged: "Nothing was left to do",
  "changed-meanwhile": "It was changed after it had been chosen",
  "not-found": "It no longer exists",
  "no-admin": "Whoever started this is no longer an admin, or has a new password to replace first",
  stopped: "It was stopped before this row",
  failed: "An error occurred. It is in the log of the server",
} as const;
