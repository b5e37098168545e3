import Eye from "lucide-react/icons/eye";
import RotateCw from "lucide-react/icons/rotate-cw";
import type { MailKind } from "#core/mail/mail-templates.ts";
import type { ListedMail } from "#core/mail/manage-outbox.server.ts";
import type { List } from "#core/paging.ts";
import { DateTime } from "../../date-time.tsx";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { useOpened } from "../forms/use-opened.ts";
import { ListFilter, SearchBox } from "../lists/list-controls.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { RowAction } from "../lists/row-action.tsx";
import { type ListColumn, sortable } from "../lists/sortable.tsx";
import { type ListAddress, useListAddress } from "../lists/use-list-address.ts";
import { ADD_LINES, MAIL_LINES, SettingsLines } from "../settings-lines.tsx";
import { MailDialog } from "./mail-dialog.tsx";

const FILTERS = [
  { value: "", label: "All Status" },
  { value: "queued", label: "Queued" },
  { value: "sent", label: "Sent" },
  { value: "failed", label: "Failed" },
];

const STATUSES: Record<ListedMail["status"], { label: string; tone: BadgeTone }> = {
  queued: { label: "Queued", tone: "yellow" },
  sent: { label: "Sent", tone: "green" },
  failed: { label: "Failed", tone: "red" },
};

interface MailScreenProps {
  list: List<ListedMail>;
  /** false: mails are stored and not sent. */
  hasMailServer: boolean;
}

/** What the shop has mailed, or tries to, and examples of each mail. */
export function MailScreen({ list, hasMailServer }: MailScreenProps) {
  const address = useListAddress();
  const preview = useOpened<ListedMail>();
  const { busy, run } = useAdminAction();
  const columns = columnsOf({
    ...{ address, hasMailServer, busy, onView: preview.open },
    onSendAgain: ({ id }) => run("send-again", { mailId: id }),
  });
  const isNarrowed = ["q", "status"].some((name) => address.get(name) !== "");
  return (
    <div className="flex flex-col gap-6">
      {hasMailServer ? null : (
        <Banner tone="warning">
          <strong className="font-semibold">No mail server is set up, so emails are only stored here.</strong>{" "}
          Nobody receives them. The emails that are waiting will be sent once it is set up. {ADD_LINES}
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
        controls={
          <>
            <SearchBox placeholder="Search by recipient" />
            <ListFilter name="status" label="Status" options={FILTERS} />
          </>
        }
      >
        <ListTable label="Emails" columns={columns} rows={list.rows} rowId={({ id }) => id} />
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

interface ColumnOptions {
  address: ListAddress;
  hasMailServer: boolean;
  busy: boolean;
  onView: (mail: ListedMail) => void;
  onSendAgain: (mail: ListedMail) => void;
}

function columnsOf({
  address,
  busy,
  onView,
  onSendAgain,
  ...words
}: ColumnOptions): ListColumn<ListedMail>[] {
  return [
    {
      id: "recipient",
      header: "Recipient",
      cardLabel: null,
      className: "align-top",
      cell: ({ recipient }) => <span className="break-all font-medium">{recipient}</span>,
    },
    {
      id: "subject",
      header: "Subject",
      className: "align-top",
      cell: ({ subject }) => <span className="wrap-anywhere">{subject}</span>,
    },
    {
      id: "status",
      header: "Status",
      className: "align-top",
      cell: (mail) => <StatusCell mail={mail} {...words} />,
    },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Created", isDefault: true }),
      className: "align-top whitespace-nowrap tabular-nums",
      cell: ({ createdAt }) => <DateTime date={createdAt} />,
    },
    {
      id: "actions",
      header: "Actions",
      cardLabel: null,
      className: "align-top min-[720px]:w-px",
      cell: (mail) => {
        const target = `${mail.subject}, to ${mail.recipient}`;
        return (
          <div className="flex flex-wrap gap-2 min-[720px]:-ml-2.5 min-[720px]:flex-nowrap min-[720px]:gap-0.5">
            <RowAction label="View" icon={Eye} target={target} onClick={() => onView(mail)} />
            {mail.canBeSentAgain ? (
              <RowAction
                label="Send Again"
                icon={RotateCw}
                target={target}
                disabled={busy}
                onClick={() => onSendAgain(mail)}
              />
            ) : null}
          </div>
        );
      },
    },
  ];
}

function StatusCell({
  mail,
  hasMailServer,
}: {
  mail: ListedMail;
} & Pick<ColumnOptions, "hasMailServer">) {
  const { status, tries, lastError, nextTryAt } = mail;
  const { label, tone } = STATUSES[status];
  const isTriedAgain = status === "queued" && hasMailServer && lastError !== null;
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <span className="inline-flex flex-wrap items-center gap-x-2">
        <Badge tone={tone}>{label}</Badge>
        {tries === 0 || status === "sent" ? null : (
          <span className="text-muted text-xs">{tries === 1 ? "1 try" : `${tries} tries`}</span>
        )}
      </span>
      {lastError === null ? null : <span className="text-muted text-xs wrap-anywhere">{lastError}</span>}
      {isTriedAgain ? (
        <span className="text-muted text-xs tabular-nums">
          Next try: <DateTime date={nextTryAt} />
        </span>
      ) : null}
    </div>
  );
}

/** Every kind of mail that a buyer gets, in the order in which the admin sees them. */
const LABELS: Record<Exclude<MailKind, "test-mail">, string> = {
  "purchase-receipt": "Receipt",
  "pass-assigned": "Assigned pass",
  "giveaway-won": "Giveaway won",
  "payment-refunded": "Refund started",
  "payment-not-taken": "Payment not taken",
  "password-reset": "Password reset",
  "password-changed": "Password changed",
  "account-taken-over": "Account taken over",
  "google-linked": "Google connected",
  "code-reported": "Reported code (to you)",
  "credential-missing": "Missing credential (to you)",
  "codes-used-up": "No codes left (to you)",
};
const EXAMPLES = Object.entries(LABELS).map(([kind, label]) => ({ kind, label }));

/** Each mail of the shop with details that are made up, so that the owner sees what buyers get. */
function ExampleMails() {
  const example = useOpened<(typeof EXAMPLES)[number]>();
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
          <Button key={one.kind} size="small" onClick={() => example.open(one)}>
            {one.label}
          </Button>
        ))}
      </div>
      {example.value === null ? null : (
        <MailDialog
          open={example.isOpen}
          onClose={example.close}
          href={`/admin/mail/examples/${example.value.kind}`}
          title={example.value.label}
          description="To buyer@example.com"
        />
      )}
    </section>
  );
}
