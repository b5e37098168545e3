import { useState } from "react";
import type { ChecklistItem, TestMail } from "#core/reports/go-live-checklist.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";

/** What is left to do before the shop sells to real buyers. Each line goes away when it is done. */
export function GoLiveChecklist({ items }: { items: readonly ChecklistItem[] }) {
  const [running, setRunning] = useState<string | null>(null);
  // Kept here, because a line disappears before its action has ended.
  const action = useAdminAction({
    action: "/admin",
    // The focused button is gone with its line.
    onDone: () => document.getElementById("content")?.focus({ preventScroll: true }),
  });
  if (items.length === 0) return null;
  const lines = items.map((item) => ({ id: item.id, ...describeItem(item) }));
  const nobodyCanPay = items.some((item) => item.id === "payments" && item.mode === "not-set-up");
  return (
    <section
      aria-label="Before you go live"
      className="rounded-ticket border border-warning/60 bg-warning/15 px-4 py-3"
    >
      <p className="text-sm">
        <strong className="font-semibold">Before you go live</strong>
        <span>{` · ${items.length} left`}</span>
        {nobodyCanPay ? <strong className="font-semibold text-red"> · nobody can pay yet</strong> : null}
      </p>
      <ul className="grid gap-x-8 md:grid-cols-2 lg:grid-cols-3">
        {lines.map(({ id, ...line }) => (
          <Line
            key={id}
            {...line}
            running={action.busy ? running : null}
            onPress={(intent) => {
              setRunning(intent);
              action.run(intent);
            }}
          />
        ))}
      </ul>
    </section>
  );
}

interface LineProps extends ChecklistLine {
  /** The intent of the button that is at work; null: none is. */
  running: string | null;
  onPress: (intent: string) => void;
}

function Line({ title, text, lines, smallPrint, page, buttons = [], running, onPress }: LineProps) {
  return (
    <li className="flex min-w-0 flex-col items-start py-2">
      <h2 className="text-sm">{title}</h2>
      <p className="wrap-anywhere text-sm">{text}</p>
      {lines ? <SettingsLines lines={lines} /> : null}
      {smallPrint ? <p className="mt-0.5 text-xs opacity-80">{smallPrint}</p> : null}
      {page || buttons.length > 0 ? (
        <div className="mt-1.5 flex flex-wrap gap-2">
          {page ? (
            <LinkButton to={page.to} size="small">
              {page.label}
            </LinkButton>
          ) : null}
          {buttons.map(({ label, intent }) => (
            <Button key={intent} size="small" busy={running === intent} onClick={() => onPress(intent)}>
              {label}
            </Button>
          ))}
        </div>
      ) : null}
    </li>
  );
}

/** Where these lines belong. */
export const ADD_LINES =
  "Add these lines to the shop’s settings file (/etc/daypass.env if you followed the README), then restart the shop:";

export const MAIL_LINES = [
  "SMTP_URL=smtps://user:password@mail.example.com:465",
  'MAIL_FROM="Your Shop <shop@example.com>"',
];

/** The lines that somebody adds to the settings that the shop starts with. */
export function SettingsLines({ lines }: { lines: readonly string[] }) {
  return (
    <pre className="mt-1 w-full whitespace-pre-wrap rounded-control border border-line bg-card px-2 py-1 font-mono text-ink text-xs [overflow-wrap:anywhere]">
      {lines.join("\n")}
    </pre>
  );
}

/** What the checklist says about an item. */
interface ChecklistLine {
  title: string;
  /** What to do, and why. */
  text: string;
  /** The lines of the shop's settings that do it. */
  lines?: readonly string[];
  smallPrint?: string;
  /** The page on which the owner can do it. */
  page?: { to: string; label: string };
  /** The buttons that do or confirm it: the label, and the intent of the action of /admin. */
  buttons?: readonly { label: string; intent: string }[];
}

const GATEWAY = `Create API keys and a webhook in the Razorpay dashboard. ${ADD_LINES}`;
const GATEWAY_LINES = ["RAZORPAY_KEY_ID=rzp_live_…", "RAZORPAY_KEY_SECRET=…", "RAZORPAY_WEBHOOK_SECRET=…"];

const SETTINGS = { to: "/admin/settings", label: "Open Settings" };

function describeItem(item: ChecklistItem): ChecklistLine {
  switch (item.id) {
    case "payments":
      return {
        ...(item.mode === "not-set-up"
          ? {
              title: "Let buyers pay",
              text: `Payments are not set up, so nobody can pay. ${GATEWAY}`,
            }
          : {
              title: "Take real payments",
              text: `Payments are in test mode: buyers pay nothing, and the revenue stays at ₹0. ${GATEWAY}`,
            }),
        lines: GATEWAY_LINES,
        smallPrint: "If there is a line PAYMENT_GATEWAY=…, remove it.",
      };
    case "first-tool":
      return {
        title: "Add your first tool",
        text: "The shop has nothing to sell yet. Add a tool with its price, or upload a catalogue file.",
        page: { to: "/admin/tools", label: "Open Tools" },
      };
    case "access-codes":
      return {
        title: "Add access codes",
        text: "Buyers open a tool’s servers with access codes. The shop has none yet.",
        page: { to: "/admin/access-codes", label: "Open Access Codes" },
      };
    case "resale":
      return {
        title: "May this shop resell what it lists?",
        text: "Many services allow sharing or resale only under their own terms. Please check them for every tool on your list, then confirm once. Who confirmed, and when, is written to the audit log.",
        buttons: [{ label: "I may resell what I list", intent: "acknowledge-resale" }],
      };
    case "support-numbers":
      return {
        title: "Enter your support numbers",
        text:
          item.problem === "demo"
            ? "The shop still shows the demo’s numbers. A buyer who needs help reaches nobody."
            : "The shop shows no number, so a buyer who needs help cannot reach you.",
        ...orVariable(item.setByVariable, "SUPPORT_PHONES=+919876543210"),
      };
    case "name":
      return {
        title: "Name your shop",
        text: "Your shop still has its default name. Buyers see it on every page, receipt and email.",
        page: SETTINGS,
        buttons: [{ label: "Keep this name", intent: "confirm-name" }],
      };
    case "texts":
      return item.areDemo
        ? {
            title: "Replace the demo texts",
            text: `These pages still have the demo text: ${pageNames(item.pages)}. Enter your own.`,
            page: SETTINGS,
            buttons: [{ label: "They are right", intent: "confirm-texts" }],
          }
        : {
            title: "Write your shop’s pages",
            text: `These pages have no text yet: ${pageNames(item.pages)}. Buyers look for them, and payment providers ask for them.`,
            page: SETTINGS,
          };
    case "own-password":
      return {
        title: "Choose your own password",
        text: "Your account still has the password from the first start or from a reset on the server. It may be in a log or in the settings.",
        page: { to: "/account", label: "Change Password" },
      };
    case "weak-password":
      return {
        title: "Choose a stronger password",
        text: "Yours is short, common, or the shop’s name or your address with digits added. Whoever guesses it can take every code and all money.",
        page: { to: "/account", label: "Change Password" },
      };
    case "mail":
      return {
        title: "Set up email",
        text: `Receipts, password resets and refund notices are not being sent.${waitingMails(item.waiting)} ${ADD_LINES}`,
        lines: MAIL_LINES,
      };
    case "test-mail":
      return { title: "Send a test email", ...describeTestMail(item.last) };
    case "claims":
      return {
        title: "Show true claims",
        text: `The home page still shows claims of the demo: ${item.claims.join(", ")}. Enter your own, or leave them empty.`,
        page: SETTINGS,
        buttons: [{ label: "They are true", intent: "confirm-claims" }],
      };
    case "deals-channel":
      return {
        title: "Link your deals channel",
        text: "The link still leads to an example page. Enter your own, or leave it empty.",
        ...orVariable(item.setByVariable, "DEALS_CHANNEL_URL=https://…"),
      };
    case "backup":
      return {
        title: "Set up a backup",
        text: "There is no verified backup from the last 48 hours. Without one, a broken disk takes every account and every purchase with it. Make one now, or confirm that you back up the shop in another way.",
        smallPrint: "More: docs/operations.md, “Backups”.",
        page: { to: "/admin/settings#backups", label: "Open Backups" },
        buttons: [{ label: "I back up another way", intent: "confirm-backup" }],
      };
  }
}

/** Where the value is changed: on a page, or in the variable that has precedence. */
function orVariable(setByVariable: boolean, line: string): Partial<ChecklistLine> {
  if (!setByVariable) return { page: SETTINGS };
  return {
    lines: [line],
    smallPrint: "It is set by this line of the shop’s settings. Change it there and restart the shop.",
  };
}

const PAGE_NAMES = {
  terms: "Terms",
  refunds: "Refund policy",
  privacy: "Privacy policy",
  contact: "Contact",
} as const;

const pageNames = (pages: readonly (keyof typeof PAGE_NAMES)[]) =>
  pages.map((page) => PAGE_NAMES[page]).join(", ");

const SEND_TEST_MAIL = { label: "Send a Test Email", intent: "send-test-mail" };
const SEND_TEST_MAIL_AGAIN = { label: "Send Another", intent: "send-test-mail" };
const OUTBOX = { to: "/admin/mail", label: "Open Emails" };

function describeTestMail(last: TestMail | null): Omit<ChecklistLine, "title"> {
  switch (last?.status) {
    case undefined:
      return {
        text: "A mail server is set up. Send yourself an email to check that it arrives and doesn’t land in spam.",
        buttons: [SEND_TEST_MAIL],
      };
    case "queued":
      return { text: `The email to ${last.recipient} is being sent.`, page: OUTBOX };
    case "sent":
      return {
        text: `The mail server accepted the email to ${last.recipient}. Check your inbox and your spam folder.`,
        buttons: [{ label: "It arrived", intent: "confirm-test-mail" }, SEND_TEST_MAIL_AGAIN],
      };
    case "failed":
      return {
        text: `The email to ${last.recipient} was not sent. The list of emails shows why.`,
        page: OUTBOX,
        buttons: [SEND_TEST_MAIL_AGAIN],
      };
  }
}

function waitingMails(waiting: number): string {
  if (waiting === 0) return "";
  return waiting === 1 ? " 1 message is waiting." : ` ${waiting} messages are waiting.`;
}
