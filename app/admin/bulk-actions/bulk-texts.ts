import { BULK_ACTIONS, type BulkActionName, type BulkKind } from "#core/bulk-actions/bulk-actions.ts";
import { formatCount } from "../format-count.ts";

/** The address that counts and starts a bulk action, and below which one is read. */
export const BULK_ACTION_PATH = "/admin/bulk-actions";

interface BulkText {
  /** In the bar below the list. */
  button: string;
  /** Before the rows: "delete" 3 users. */
  verb: string;
  /** After them. */
  after?: string;
  /** What happens then. */
  note: string;
  /** It destroys something, so the button that starts it is red. */
  danger?: boolean;
}

export const BULK_TEXTS: Readonly<Record<BulkActionName, BulkText>> = {
  "activate-users": { button: "Activate", verb: "activate", note: "They can sign in again." },
  "deactivate-users": {
    button: "Deactivate",
    verb: "deactivate",
    note: "They are signed out everywhere at once, also in the browser extension, and cannot sign in again until you activate them. Passes are kept and run on. Admins are left out.",
  },
  "delete-users": {
    button: "Delete",
    verb: "delete",
    note: "This cannot be undone. They are signed out everywhere, and their names, email addresses and unsent emails are removed. Payments stay in the books without a name. Admins are left out.",
    danger: true,
  },
  "extend-purchases": {
    button: "Extend",
    verb: "extend",
    note: "A pass that has expired starts again now. A renewal that waits for the end of a pass moves with it.",
  },
  "set-purchase-expiry": {
    button: "Set Date",
    verb: "set the end of",
    note: "A pass that has expired starts again now. A renewal that waits for the end of a pass moves with it.",
  },
  "cancel-purchases": {
    button: "Cancel Purchases",
    verb: "cancel",
    after: " without a refund",
    note: "Access ends at once and for good, and the shop keeps the payments. A payment that arrives later is refunded.",
    danger: true,
  },
  "activate-access-codes": {
    button: "Activate",
    verb: "activate",
    note: "Buyers can get these codes again.",
  },
  "deactivate-access-codes": {
    button: "Deactivate",
    verb: "deactivate",
    note: "Buyers do not get these codes until you activate them again.",
  },
  "delete-access-codes": {
    button: "Delete",
    verb: "delete",
    note: "This cannot be undone. Those who already have a code may still use it at the service.",
    danger: true,
  },
  "activate-coupons": {
    button: "Activate",
    verb: "activate",
    note: "Buyers can use them again, unless they have expired or are used up.",
  },
  "deactivate-coupons": {
    button: "Deactivate",
    verb: "deactivate",
    note: "Nobody can use them until you activate them again. Open checkouts keep their discount.",
  },
  "delete-coupons": {
    button: "Delete",
    verb: "delete",
    note: "This cannot be undone. Purchases and open checkouts with them keep their discount.",
    danger: true,
  },
};

const NOUNS: Record<BulkKind, string> = {
  users: "user",
  purchases: "purchase",
  "access-codes": "access code",
  coupons: "coupon",
};

export const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** "3 users" */
function countedRows(action: BulkActionName, rows: number): string {
  return `${formatCount(rows)} ${NOUNS[BULK_ACTIONS[action].kind]}${rows === 1 ? "" : "s"}`;
}

/** "Extend 3 Access Codes", for a button. */
export function nameOfBulkAction(action: BulkActionName, rows: number): string {
  return describeBulkAction(action, rows).replace(/\b(?!(?:a|the|of)\b)[a-z]/g, (letter) =>
    letter.toUpperCase(),
  );
}

/** "extend 3 access codes" */
export function describeBulkAction(action: BulkActionName, rows: number): string {
  const { verb, after = "" } = BULK_TEXTS[action];
  return `${verb} ${countedRows(action, rows)}${after}`;
}
