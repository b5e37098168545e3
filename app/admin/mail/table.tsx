import Eye from "lucide-react/icons/eye";
import RotateCw from "lucide-react/icons/rotate-cw";
import type { ListedMail } from "#core/mail/manage-outbox.server.ts";
import { DateTime } from "../../time/date-time.tsx";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { type ListColumn, sortable } from "../lists/list-table.tsx";
import { ActionsOfRow, RowAction } from "../lists/row-actions.tsx";
import type { ListAddress } from "../lists/use-list-address.ts";

const STATUSES: Record<ListedMail["status"], { label: string; tone: BadgeTone }> = {
  queued: { label: "Queued", tone: "yellow" },
  sent: { label: "Sent", tone: "green" },
  failed: { label: "Failed", tone: "red" },
};

interface ColumnOptions {
  address: ListAddress;
  hasMailServer: boolean;
  busy: boolean;
  onView: (mail: ListedMail) => void;
  onSendAgain: (mail: ListedMail) => void;
}

export function columnsOf({
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
      phone: "first",
      className: "align-top",
      cell: ({ recipient }) => <span className="break-all font-medium">{recipient}</span>,
    },
    {
      id: "subject",
      header: "Subject",
      phone: "second",
      className: "align-top",
      cell: ({ subject }) => <span className="wrap-anywhere">{subject}</span>,
    },
    {
      id: "status",
      header: "Status",
      phone: "more",
      className: "align-top",
      cell: (mail) => <StatusCell mail={mail} {...words} />,
    },
    {
      id: "createdAt",
      ...sortable(address, { sort: "createdAt", label: "Created", isDefault: true }),
      phone: "first-end",
      className: "align-top whitespace-nowrap tabular-nums",
      cell: ({ createdAt }) => <DateTime date={createdAt} />,
    },
    {
      id: "actions",
      header: "Actions",
      phone: "menu",
      className: "align-top min-[720px]:w-px",
      cell: (mail) => {
        const target = `${mail.subject}, to ${mail.recipient}`;
        return (
          <ActionsOfRow name={target}>
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
          </ActionsOfRow>
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
          <span>Next try: </span>
          <DateTime date={nextTryAt} />
        </span>
      ) : null}
    </div>
  );
}
