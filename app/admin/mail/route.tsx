import type { ListedMail } from "#core/mail/list-mail.server.ts";
import { listMail } from "#core/mail/list-mail.server.ts";
import type { MailKind } from "#core/mail/mail-templates.ts";
import { sendMailAgain } from "#core/mail/send-mail-again.server.ts";
import type { List } from "#core/paging.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { adminAction } from "../forms/admin-action.server.ts";
import { callAdminAction } from "../forms/admin-result.ts";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { useOpened } from "../forms/use-opened.ts";
import { ForAdmin } from "../lists/for-admin.tsx";
import { ListFilter, SearchBox } from "../lists/list-controls.tsx";
import { ListFailure } from "../lists/list-failure.tsx";
import { ListSection } from "../lists/list-section.tsx";
import { ListTable } from "../lists/list-table.tsx";
import { loadForAdmin } from "../lists/load-list.server.ts";
import { useListAddress } from "../lists/use-list-address.ts";
import { ADD_LINES, MAIL_LINES, SettingsLines } from "../settings-lines.tsx";
import type { Route } from "./+types/route";
import { MailDialog } from "./mail-dialog.tsx";
import { columnsOf } from "./table.tsx";

export function loader(args: Route.LoaderArgs) {
  return loadForAdmin(args, async (ctx, input) => ({
    list: await listMail(ctx, input),
    hasMailServer: ctx.ports.mailTransport !== null,
  }));
}

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
