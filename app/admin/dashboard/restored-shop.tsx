import type { RestoreNotice } from "#core/backups/restored-shop.server.ts";
import { formatDateTime } from "#core/time.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { DateText } from "../../ui/time.tsx";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { useDialogs } from "../dialogs/use-dialogs.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { ActionError } from "../forms/admin-form.tsx";

/** The address of the action for all that admins do after a restore. */
export const RESTORED_SHOP_ACTION = "/admin/restored-shop";

/** Says that the shop was restored from a backup, and what waits for the admin or for the payment provider. */
export function RestoredShop({ notice }: { notice: RestoreNotice | null }) {
  const dialog = useDialogs(["confirm-restore"], { rows: [] }).of("confirm-restore");
  return (
    <>
      {notice === null ? null : <Notice {...notice} onConfirm={() => dialog.open(null)} />}
      {/* Also without a notice: it may be gone before the confirmation is answered. */}
      <ConfirmDialog open={dialog.isOpen} onClose={dialog.close} />
    </>
  );
}

function Notice({ backupAt, state, onConfirm }: RestoreNotice & { onConfirm: () => void }) {
  const { timeZone } = useShared();
  const date = <DateText date={backupAt}>{formatDateTime(backupAt, timeZone)}</DateText>;
  if (state === "reading") {
    return (
      <Banner>
        <span>The shop is asking the payment provider what buyers have paid since the backup of </span>
        {date}
        <span>. It keeps trying until it gets an answer.</span>
      </Banner>
    );
  }
  return (
    <Banner tone="warning">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-80">
          <strong className="font-semibold">
            <span>This shop was restored from a backup of </span>
            {date}
            <span>.</span>
          </strong>{" "}
          Mail, refunds and sales wait until you confirm that this is now the shop.
        </p>
        <Button size="small" onClick={onConfirm}>
          This is now the shop
        </Button>
      </div>
    </Banner>
  );
}

function ConfirmDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { busy, result, run } = useAdminAction({
    action: RESTORED_SHOP_ACTION,
    showsErrors: false,
    // The notice and its button are gone.
    onDone: () => {
      onClose();
      document.getElementById("content")?.focus({ preventScroll: true });
    },
  });
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      title="Is this now the shop?"
      description="Confirm only if this is where buyers will find your shop from now on."
    >
      <div className="flex flex-col gap-3 text-sm">
        <p>When you confirm:</p>
        <ul className="flex list-disc flex-col gap-1 pl-5">
          <li>
            Emails and refunds that were waiting in the backup are sent. A buyer may get the same email twice,
            but never the same refund.
          </li>
          <li>Buyers can buy again, and the daily giveaway continues.</li>
          <li>
            The shop asks the payment provider what buyers have paid since the backup. Payments whose purchase
            is missing from the backup are listed in Overview: you can assign or refund each one.
          </li>
        </ul>
        <p>
          If this is a test copy, or the old shop is still running, do not confirm: both shops would sell the
          same stock and send the same emails. This cannot be undone.
        </p>
        <ActionError result={result} />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Not Yet</Button>
          <Button variant="strong" busy={busy} onClick={() => run("confirm")}>
            Yes, This Is Now the Shop
          </Button>
        </div>
      </div>
    </AdminDialog>
  );
}
