import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import type { WaitingBuyers } from "#core/stock-alerts/stock-alerts.server.ts";
import { formatDate } from "#core/time.ts";
import { buttonClasses } from "../../ui/class-names.ts";
import { DateText } from "../../ui/time.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { DialogContent } from "../dialogs/dialog-content.tsx";
import { formatCount } from "../format-count.ts";

interface WaitingBuyersDialogProps {
  tool: ListedTool;
  open: boolean;
  onClose: () => void;
}

/** Who wants to be told when a tool is in stock again, and a link with which the owner tells a group. */
export function WaitingBuyersDialog({ tool, open, onClose }: WaitingBuyersDialogProps) {
  return (
    <AdminDialog open={open} onClose={onClose} title={<span>{`Waiting for ${tool.name}`}</span>}>
      <DialogContent<WaitingBuyers>
        key={tool.id}
        href={`/admin/tools/${tool.id}/waiting`}
        open={open}
        gone="This tool has been deleted."
      >
        {(waiting) => <Waiting {...waiting} />}
      </DialogContent>
    </AdminDialog>
  );
}

function Waiting({ buyers, total, shareText }: WaitingBuyers) {
  const { sendsMail, timeZone } = useShared();
  const more = total - buyers.length;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>
        {sendsMail
          ? "When it’s back in stock, each of them gets one email and is removed from this list."
          : "Your shop has no mail server yet, so nobody gets an email when it’s back in stock. They stay on this list until it has one."}
      </p>
      {buyers.length === 0 ? (
        <p className="text-muted">Nobody is waiting any more.</p>
      ) : (
        <ul className="max-h-96 divide-y divide-line overflow-y-auto border-line border-y">
          {buyers.map(({ email, displayName, askedAt }) => (
            <li key={email} className="py-2">
              <p className="wrap-anywhere font-medium">{displayName || "No name"}</p>
              <p className="wrap-anywhere text-muted">{email}</p>
              <p className="text-muted text-xs">
                <span>Since </span>
                <DateText date={askedAt}>{formatDate(askedAt, timeZone)}</DateText>
              </p>
            </li>
          ))}
        </ul>
      )}
      {more > 0 ? <p className="text-muted">{`And ${formatCount(more)} more.`}</p> : null}
      <p className="text-muted">Share this after you have added stock:</p>
      <a
        href={`https://wa.me/?${new URLSearchParams({ text: shareText })}`}
        target="_blank"
        rel="noreferrer"
        className={buttonClasses({ wide: true })}
      >
        Share “it’s back” on WhatsApp
      </a>
    </div>
  );
}
