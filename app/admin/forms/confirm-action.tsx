import { type ReactNode, useEffect } from "react";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { useAdminAction } from "./use-admin-action.ts";
import type { Opened } from "./use-opened.ts";

interface ConfirmActionProps<Row> {
  confirm: Opened<Row>;
  /** The operation of the page's action. */
  intent: string;
  /** The input of the operation. */
  values: (row: Row) => Readonly<Record<string, string>>;
  question: (row: Row) => string;
  /** The name of the button that does it, such as "Delete Coupon Code". */
  confirmLabel: string;
  /** What it is about, and what it does not change. */
  children: (row: Row) => ReactNode;
}

/**
 * Asks before an operation on a row. Closes with the first answer: the banner says what became of it, or the password is
 * asked for.
 */
export function ConfirmAction<Row>(props: ConfirmActionProps<Row>) {
  const { confirm, intent, values, question, confirmLabel, children } = props;
  const { isOpen, value: row, close } = confirm;
  const { busy, result, run } = useAdminAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: one answer closes it once; `close` changes every time
  useEffect(() => {
    if (result !== undefined) close();
  }, [result]);
  if (row === null) return null;
  return (
    <ConfirmDialog
      open={isOpen}
      title={question(row)}
      confirmLabel={confirmLabel}
      onClose={close}
      busy={busy}
      onConfirm={() => run(intent, values(row))}
    >
      {children(row)}
    </ConfirmDialog>
  );
}
