import type { ReactNode } from "react";
import type { ChecklistItem } from "#core/reports/go-live-checklist.ts";

/** What the checklist says about an item. */
export interface ChecklistLine {
  title: string;
  /** What to do, and why. */
  text: string;
  /** Names of variables and documents, for whoever runs the server. */
  smallPrint?: ReactNode;
  /** The tab in which the owner can do it. */
  tab?: { to: string; label: string };
  /** The button that confirms it: its label, and the intent of the action of /admin. */
  confirm?: { label: string; intent: string };
}

const GATEWAY_VARIABLES =
  "RAZORPAY_KEY_ID, RAZORPAY_KEY_SECRET, RAZORPAY_WEBHOOK_SECRET; PAYMENT_GATEWAY stays unset.";

const SETTINGS = { to: "/admin/settings", label: "Open Settings" };

export function describeItem(item: ChecklistItem): ChecklistLine {
  switch (item.id) {
    case "payments":
      return item.mode === "not-set-up"
        ? {
            title: "Let buyers pay",
            text: "Payments are not set up, so nobody can pay. Create API keys and a webhook in the Razorpay dashboard, and ask whoever runs your server to enter them and restart the shop.",
            smallPrint: GATEWAY_VARIABLES,
          }
        : {
            title: "Take real payments",
            text: "Payments are in test mode: buyers pay nothing, and the revenue stays at ₹0. Create API keys and a webhook in the Razorpay dashboard, and ask whoever runs your server to enter them and restart the shop.",
            smallPrint: GATEWAY_VARIABLES,
          };
    case "first-tool":
      return {
        title: "Add your first tool",
        text: "The shop has nothing to sell yet. Add a tool with its price, or upload a catalogue file.",
        tab: { to: "/admin/tools", label: "Open Tools" },
      };
    case "access-codes":
      return {
        title: "Add access codes",
        text: "Buyers open a tool’s servers with access codes. The shop has none yet.",
        tab: { to: "/admin/access-codes", label: "Open Access Codes" },
      };
    case "resale":
      return {
        title: "May this shop resell what it lists?",
        text: "Many services allow sharing or resale only under their own terms. Please check them for every tool on your list, then confirm once. Who confirmed, and when, is written to the audit log.",
        confirm: { label: "I may resell what I list", intent: "acknowledge-resale" },
      };
    case "support-numbers":
      return {
        title: "Enter your support numbers",
        text:
          item.problem === "demo"
            ? "The shop still shows the demo’s numbers. A buyer who needs help reaches nobody."
            : "The shop shows no number, so a buyer who needs help cannot reach you.",
        ...orVariable(item.setByVariable, "SUPPORT_PHONES"),
      };
    case "mail":
      return {
        title: "Set up email",
        text: `Receipts, password resets and refund notices are not being sent.${waitingMails(item.waiting)} Ask whoever runs your server to enter your mail server and restart the shop.`,
        smallPrint: "SMTP_URL and MAIL_FROM.",
      };
    case "claims":
      return {
        title: "Show true claims",
        text: `The home page still shows claims of the demo: ${item.claims.join(", ")}. Enter your own, or leave them empty.`,
        tab: SETTINGS,
        confirm: { label: "They are true", intent: "confirm-claims" },
      };
    case "deals-channel":
      return {
        title: "Link your deals channel",
        text: "The link still leads to an example page. Enter your own, or leave it empty.",
        ...orVariable(item.setByVariable, "DEALS_CHANNEL_URL"),
      };
    case "backup":
      return {
        title: "Set up a backup",
        text: "Without one, a broken disk takes every account and every purchase with it. Set it up, restore it once to see that it works, then confirm.",
        smallPrint: "How: docs/operations.md, “Backups”.",
        confirm: { label: "A backup is set up", intent: "confirm-backup" },
      };
  }
}

function orVariable(setByVariable: boolean, variable: string): Partial<ChecklistLine> {
  return setByVariable ? { smallPrint: `Set on the server, in ${variable}.` } : { tab: SETTINGS };
}

function waitingMails(waiting: number): string {
  if (waiting === 0) return "";
  return waiting === 1 ? " 1 message is waiting." : ` ${waiting} messages are waiting.`;
}
