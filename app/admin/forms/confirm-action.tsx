import { type ReactNode, useEffect } from "react";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useAdminAction } from "./use-admin-action.ts";
import type { Opened } from "./use-opened.ts";

interface ConfirmActionProps<Row> {
  confirm: Opened<Row>;
  /** The operation of the page's action. It gets the row's id. */
  intent: string;
  question: string;
  /** The name of the button that does it, such as "Delete Coupon Code". */
  confirmLabel: string;
  /** What it is about, and what it does not change. */
  children: (row: Row) => ReactNode;
}

/**
 * Asks before an operation on a row. Closes with the first answer: the banner says what became of it, or the password is
 * asked for.
 */
export function ConfirmAction<Row extends { id: string }>(props: ConfirmActionProps<Row>) {
  const { confirm, intent, question, confirmLabel, children } = props;
  const { isOpen, value: row, close } = confirm;
  const { busy, result, run } = useAdminAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: one answer closes it once; `close` changes every time
  useEffect(() => {
    if (result !== undefined) close();
  }, [result]);
  return (
    <ConfirmDialog
      open={isOpen}
      title={question}
      confirmLabel={confirmLabel}
      onClose={close}
      busy={busy}
      onConfirm={() => row !== null && run(intent, { id: row.id })}
    >
      {row === null ? null : children(row)}
    </ConfirmDialog>
  );
}
