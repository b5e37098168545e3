import type { ReactNode } from "react";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useAdminAction } from "./use-admin-action.ts";
import type { Opened } from "./use-opened.ts";

interface ConfirmActionProps<Row> {
  confirm: Opened<Row>;
  /** The operation of the page's action. It gets the row's id. */
  intent: string;
  question: string;
  /** The name of the button that does it, such as "Delete coupon code". */
  confirmLabel: string;
  /** What it is about, and what it does not change. */
  children: (row: Row) => ReactNode;
}

/**
 * Asks before an operation on a row. The answer closes the dialog before the operation runs, because the dialog that asks
 * for the password may follow, and each of them would take the focus from the other.
 */
export function ConfirmAction<Row extends { id: string }>(props: ConfirmActionProps<Row>) {
  const { confirm, intent, question, confirmLabel, children } = props;
  const { isOpen, value: row, close } = confirm;
  const { run } = useAdminAction();
  return (
    <ConfirmDialog
      open={isOpen}
      title={question}
      confirmLabel={confirmLabel}
      onClose={close}
      onConfirm={() => {
        close();
        if (row !== null) run(intent, { id: row.id });
      }}
    >
      {row === null ? null : children(row)}
    </ConfirmDialog>
  );
}
