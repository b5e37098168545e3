import { type ReactNode, useCallback, useContext, useEffect, useRef } from "react";
import { useFetcher } from "react-router";
import { ConfirmDialog } from "../../ui/dialogs/dialog.tsx";
import { useAdminFeedback } from "../dashboard/admin-feedback.tsx";
import { HoldContext } from "../dialogs/dialog-content.tsx";
import type { Opened } from "../dialogs/opened.ts";
import { type AdminResult, PASSWORD_NEEDED } from "./admin-result.ts";

type Values = Readonly<Record<string, string>>;

interface Options {
  /** The address of the action; the page's own without it. */
  action?: string;
  /** Called after a success. */
  onDone?: (value: unknown) => void;
  /** Whether the red banner shows a refusal; false when the form shows it itself. */
  showsErrors?: boolean;
}

/**
 * Runs an operation of the page's action. Shows its result in the banner; when the admin's password is needed, asks for
 * it and repeats the request.
 */
export function useAdminAction({ action, onDone, showsErrors = true }: Options = {}) {
  const fetcher = useFetcher<AdminResult>();
  const feedback = useAdminFeedback();
  const sent = useRef<FormData | null>(null);
  const handled = useRef<AdminResult | undefined>(undefined);
  // A ref, because `busy` changes with the next render: two clicks before it would send twice.
  const isSending = useRef(false);

  const hold = useContext(HoldContext);
  const release = useRef<(() => void) | null>(null);
  const releaseDialog = useCallback(() => {
    release.current?.();
    release.current = null;
  }, []);

  const send = (form: FormData) => {
    if (isSending.current) return;
    isSending.current = true;
    sent.current = form;
    // Now and not in an effect: the router's state may be rendered late, together with the live update.
    release.current ??= hold?.() ?? null;
    void fetcher.submit(form, { method: "post", ...(action && { action }) });
  };
  // While the page loads its data again, the answer is there already. It is handled then, because the new data may
  // remove the row, and this component with it.
  const answer = fetcher.state === "submitting" ? undefined : fetcher.data;

  useEffect(() => {
    if (answer === undefined || handled.current === answer) return;
    handled.current = answer;
    // Also reset here: there may be no rendering between two idle ones, and the effect below then does not run.
    isSending.current = false;
    releaseDialog();
    if (answer.ok) {
      if (answer.message !== null) feedback.showSuccess(answer.message);
      onDone?.(answer.value);
    } else if (answer.code === PASSWORD_NEEDED) {
      const again = sent.current;
      if (again) feedback.askPassword(() => send(again));
    } else if (showsErrors) feedback.showError(answer.message);
  });

  useEffect(() => {
    if (fetcher.state !== "idle") return;
    isSending.current = false;
    releaseDialog();
  }, [fetcher.state, releaseDialog]);
  useEffect(() => releaseDialog, [releaseDialog]);

  return {
    busy: fetcher.state !== "idle",
    /** Undefined before the first answer and while a request runs. */
    result: fetcher.state === "idle" ? fetcher.data : undefined,
    send,
    run: (intent: string, values: Values = {}) => {
      const form = new FormData();
      form.set("intent", intent);
      for (const [name, value] of Object.entries(values)) form.set(name, value);
      send(form);
    },
  };
}

interface ConfirmActionProps<Row> {
  confirm: Opened<Row>;
  /** The address of the action; the page's own without it. */
  action?: string;
  /** The operation of the action. */
  intent: string;
  /** The input of the operation. */
  values: (row: Row) => Readonly<Record<string, string>>;
  question: (row: Row) => string;
  /** The name of the button that does it, such as "Delete Coupon Code". */
  confirmLabel: string;
  /** What it is about, and what it does not change. */
  children: (row: Row) => ReactNode;
}

/** Asks before an operation on a row. Closes with its answer, which the banner shows. While the password is asked for, it stays. */
export function ConfirmAction<Row>(props: ConfirmActionProps<Row>) {
  const { confirm, action, intent, values, question, confirmLabel, children } = props;
  const { isOpen, value: row, isAddressed, close } = confirm;
  const { busy, result, run } = useAdminAction(action === undefined ? {} : { action });
  // biome-ignore lint/correctness/useExhaustiveDependencies: one answer closes it once; `close` changes every time
  useEffect(() => {
    if (result !== undefined && (result.ok || result.code !== PASSWORD_NEEDED)) close();
  }, [result]);
  if (row === null) return null;
  return (
    <ConfirmDialog
      open={isOpen}
      title={question(row)}
      confirmLabel={confirmLabel}
      onClose={close}
      closesOnBack={!isAddressed}
      busy={busy}
      onConfirm={() => run(intent, values(row))}
    >
      {children(row)}
    </ConfirmDialog>
  );
}
