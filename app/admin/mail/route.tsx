import { type ReactElement, useState } from "react";
import type { List } from "#core/lists/paging.ts";
import type { MailKind } from "#core/mail/mail-templates.ts";
import {
  type ListedMail,
  listMail,
  type MailPreview,
  sendMailAgain,
} from "#core/mail/manage-outbox.server.ts";
import { LANGUAGE_CODES, type Language } from "#languages/languages.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { adminAction, loadForAdmin } from "../admin-routes.server.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { revalidateList, useDialogs } from "../dialogs/use-dialogs.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { callAdminAction } from "../forms/admin-result.ts";
import { languageName } from "../forms/translation-field.tsx";
import { ForAdmin, ListFailure } from "../lists/for-admin.tsx";
import { ListFilter, ListSection, SearchBox } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { useListAddress } from "../lists/use-list-address.ts";
import { ADD_LINES, MAIL_LINES, SettingsLines } from "../overview/go-live-checklist.tsx";
import type { Route } from "./+types/route";
import { columnsOf } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => ({
    list: await listMail(ctx, input),
    hasMailServer: ctx.ports.mailTransport !== null,
  }));
}

export const shouldRevalidate = revalidateList;

export const action = adminAction({
  "send-again": {
    run: sendMailAgain,
    done: "The email is back in the queue.",
    failed: "Failed to send the email again",
    refusals: { "changed-meanwhile": "This email can’t be sent again. Please reload the page." },
  },
});

export const clientAction = callAdminAction;

export function ErrorBoundary() {
  return <ListFailure message="Failed to fetch emails" />;
}

export default function Mail({ loaderData }: Route.ComponentProps) {
  return <ForAdmin data={loaderData}>{(data) => <MailScreen {...data} />}</ForAdmin>;
}

const FILTERS = [
  { value: "", label: "All Status" },
  { value: "queued", label: "Queued" },
  { value: "sent", label: "Sent" },
  { value: "failed", label: "Failed" },
];

interface MailScreenProps {
  list: List<ListedMail>;
  /** false: mails are stored and not sent. */
  hasMailServer: boolean;
}

/** What the shop has mailed, or tries to, and examples of each mail. */
export function MailScreen({ list, hasMailServer }: MailScreenProps) {
  const address = useListAddress();
  const preview = useDialogs(["view"], list).of("view");
  const { busy, run } = useAdminAction();
  const columns = columnsOf({
    address,
    hasMailServer,
    busy,
    onView: preview.open,
    onSendAgain: ({ id }) => run("send-again", { mailId: id }),
  });
  const isNarrowed = ["q", "status"].some((name) => address.get(name) !== "");
  return (
    <div className="flex flex-col gap-6">
      {hasMailServer ? null : (
        <Banner tone="warning">
          <strong className="font-semibold">No mail server is set up, so emails are only stored here.</strong>
          <span>{` Nobody receives them. The emails that are waiting will be sent once it is set up. ${ADD_LINES}`}</span>
          <SettingsLines lines={MAIL_LINES} />
        </Banner>
      )}
      <ListSection
        list={list}
        empty={{
          title: "No emails found",
          text: isNarrowed
            ? "Try adjusting your search or filter criteria."
            : "Receipts, password resets and refund notices will be listed here.",
        }}
        search={<SearchBox placeholder="Search by recipient" />}
        filters={<ListFilter name="status" label="Status" options={FILTERS} />}
      >
        <ListTable
          label="Emails"
          columns={columns}
          rows={list.rows}
          rowId={({ id }) => id}
          onPress={preview.open}
        />
      </ListSection>
      <ExampleMails />
      {preview.value === null ? null : (
        <MailDialog
          open={preview.isOpen}
          onClose={preview.close}
          href={`/admin/mail/${preview.value.id}`}
          title={preview.value.subject}
          description={`To ${preview.value.recipient}`}
        />
      )}
    </div>
  );
}

/** The mails to the owner, which are in English only. */
const TO_OWNER = {
  "code-reported": "Reported code (to you)",
  "credential-missing": "Missing credential (to you)",
  "codes-used-up": "No codes left (to you)",
  "backup-overdue": "No recent backup (to you)",
  "dispute-opened": "Disputed payment (to you)",
};

/** Every kind of mail, in the order in which the admin sees them. */
const LABELS: Record<Exclude<MailKind, "test-mail">, string> = {
  "purchase-receipt": "Receipt",
  "pass-assigned": "Assigned pass",
  "giveaway-won": "Giveaway won",
  "back-in-stock": "Back in stock",
  "payment-refunded": "Refund started",
  "payment-not-taken": "Payment not taken",
  "payment-charged-back": "Payment returned by the bank",
  "password-reset": "Password reset",
  "password-changed": "Password changed",
  "account-taken-over": "Account taken over",
  "google-linked": "Google connected",
  "account-deleted": "Account deleted",
  ...TO_OWNER,
};

const EXAMPLES = Object.entries(LABELS).map(([kind, label]) => ({ id: kind, label }));

/** Each mail of the shop with details that are made up, so that the owner sees what buyers get. */
function ExampleMails() {
  const example = useDialogs(["example"], { rows: EXAMPLES }).of("example");
  const [chosen, setChosen] = useState<Language>("en");
  return (
    <section aria-labelledby="mail-previews" className="flex flex-col gap-3">
      <div>
        <h2 id="mail-previews" className="text-lg">
          Previews
        </h2>
        <p className="mt-1 text-muted text-sm">What you and your buyers receive, with made-up details.</p>
      </div>
      <div className="flex flex-wrap gap-2">
        {EXAMPLES.map((one) => (
          <Button key={one.id} size="small" onClick={() => example.open(one)}>
            {one.label}
          </Button>
        ))}
      </div>
      {example.value === null ? null : (
        <MailDialog
          open={example.isOpen}
          onClose={example.close}
          {...exampleOf(example.value.id, chosen, setChosen)}
          title={example.value.label}
          description="To buyer@example.com"
        />
      )}
    </section>
  );
}

function exampleOf(kind: string, chosen: Language, onChoose: (language: Language) => void) {
  const href = `/admin/mail/examples/${kind}`;
  if (Object.hasOwn(TO_OWNER, kind)) return { href: `${href}/en` };
  return {
    href: `${href}/${chosen}`,
    languages: LANGUAGE_CODES.map((language) => (
      <Button
        key={language}
        size="small"
        variant={language === chosen ? "strong" : "plain"}
        aria-pressed={language === chosen}
        onClick={() => onChoose(language)}
      >
        {languageName(language)}
      </Button>
    )),
  };
}

interface MailDialogProps {
  open: boolean;
  onClose: () => void;
  /** The route that loads the text. */
  href: string;
  title: string;
  description: string;
  /** The buttons that choose its language. */
  languages?: ReactElement[];
}

/** Shows a mail as its recipient sees it, and its plain text. */
function MailDialog({ open, onClose, href, title, description, languages }: MailDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      size="large"
      title={<span className="wrap-anywhere">{title}</span>}
      description={<span className="break-all">{description}</span>}
    >
      {languages === undefined ? null : (
        <fieldset className="mb-4 flex flex-wrap gap-2">
          <legend className="sr-only">Language</legend>
          {languages}
        </fieldset>
      )}
      {/* As tall as the text at once, so that the buttons above it stay where they are. */}
      <div className={languages && "min-h-[calc(min(32rem,60dvh)+3.75rem)]"}>
        <DialogContent<MailPreview> key={href} href={href} open={open} gone="This email no longer exists.">
          {(preview) => <Preview preview={preview} />}
        </DialogContent>
      </div>
    </AdminDialog>
  );
}

function Preview({ preview }: { preview: MailPreview }) {
  if (preview.kind === "secret") {
    return <p className="text-muted">This email contains a link that only its recipient may see.</p>;
  }
  if (preview.kind === "unavailable") {
    return <p className="text-muted">This email can’t be shown. The shop’s log says why.</p>;
  }
  return (
    <div className="flex flex-col gap-4">
      <iframe
        title="Email"
        // Without any permission: no script runs, no form is sent, and no link opens.
        sandbox=""
        srcDoc={withoutRequests(preview.html)}
        className="block h-[min(32rem,60dvh)] w-full rounded-control border border-line bg-white"
      />
      <details>
        <summary className="min-h-11 rounded-sm py-2.5 font-medium text-sm">Plain text</summary>
        <pre className="mt-1 whitespace-pre-wrap font-sans text-sm wrap-anywhere">{preview.text}</pre>
      </details>
    </div>
  );
}

/** The frame has the policy of the page and this stricter one, so that the text of a mail can load nothing. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`;

/** The page's policy refuses style sheets, such as that for dark themes; the inline styles are enough. */
function withoutRequests(html: string): string {
  const unstyled = html.replace(/<style\b[^>]*>[\s\S]*?<\/style>/gi, "");
  return /<head\b[^>]*>/i.test(unstyled)
    ? unstyled.replace(/<head\b[^>]*>/i, (head) => head + POLICY)
    : POLICY + unstyled;
}
