import { type ComponentProps, createContext, useContext, useEffect, useRef, useState } from "react";
import { useBeforeUnload, useBlocker, useLocation } from "react-router";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialogs/dialog.tsx";
import { useBackStep } from "../../ui/dialogs/use-back-step.ts";

interface AdminDialogProps
  extends Omit<ComponentProps<typeof Dialog>, "onOpenChange" | "keepOnOutsidePress"> {
  onClose: () => void;
  /** It holds forms: a click outside does not close it, and it asks before it drops what is typed. */
  holdsForm?: boolean;
  /** false: it has no address of its own, because it asks for something in the middle of another operation. */
  isAddressed?: boolean;
}

/** A dialog of the admin. The back button closes it and stays on the page. */
export function AdminDialog(props: AdminDialogProps) {
  const { open, onClose, holdsForm = false, isAddressed = true, children, ...dialog } = props;
  const content = useRef<HTMLDivElement>(null);
  const untouched = useRef(new WeakMap<HTMLFormElement, string>());
  const [asking, setAsking] = useState<Question | null>(null);
  // Some are open from their first render on, also on the server.
  const [shown, setShown] = useState<{ open: boolean; opener: Element | null }>({
    open: false,
    opener: null,
  });
  const { opener } = shown;
  if (shown.open !== open)
    setShown({ open, opener: open ? (globalThis.document?.activeElement ?? null) : opener });
  if (asking && !open) setAsking(null);

  const findForms = () => (holdsForm ? [...(content.current?.querySelectorAll("form") ?? [])] : []);
  // Before the first change, because nothing is changed without a press or the focus.
  const rememberValues = () => {
    for (const form of findForms())
      if (!untouched.current.has(form)) untouched.current.set(form, valuesOf(form));
  };
  const isChanged = (form: HTMLFormElement) => {
    const values = untouched.current.get(form);
    return values !== undefined && values !== valuesOf(form);
  };
  const requestClose = () => (findForms().some(isChanged) ? setAsking({ discard: onClose }) : onClose());
  const requestCancel = (form: HTMLFormElement | null, onCancel: (() => void) | undefined) => {
    if (onCancel === undefined) requestClose();
    else if (form !== null && isChanged(form)) setAsking({ discard: onCancel });
    else onCancel();
  };
  useBackStep(open && !isAddressed ? "open" : "closed", requestClose);
  return (
    <Dialog
      {...dialog}
      open={open}
      onOpenChange={(next) => !next && requestClose()}
      keepOnOutsidePress={holdsForm}
      // The row of the button that opened it may be gone, such as after a cancellation.
      finalFocus={() =>
        opener instanceof HTMLElement && opener.isConnected ? opener : document.querySelector("[data-rows]")
      }
    >
      <div
        ref={content}
        className="contents"
        onFocusCapture={rememberValues}
        onPointerDownCapture={rememberValues}
      >
        {holdsForm && isAddressed ? (
          <KeepsTyped
            isChanged={() => findForms().some(isChanged)}
            onBlocked={(question) => {
              // The back button closes the question that it has led to.
              setAsking(asking === null ? question : null);
              if (asking !== null) question.keep?.();
            }}
          />
        ) : null}
        <CancelContext value={requestCancel}>{children}</CancelContext>
      </div>
      <ConfirmDialog
        open={asking !== null}
        title="Discard your changes?"
        confirmLabel="Discard Changes"
        cancelLabel="Keep Editing"
        closesOnBack={asking?.keep === undefined}
        onConfirm={() => {
          setAsking(null);
          asking?.discard();
        }}
        onClose={() => {
          setAsking(null);
          asking?.keep?.();
        }}
      >
        <p>What you changed in this form is not saved yet.</p>
      </ConfirmDialog>
    </Dialog>
  );
}

/** What the question about changes leads to. */
interface Question {
  discard: () => void;
  /** Only of a question about the back button, which the router holds back meanwhile. */
  keep?: () => void;
}

interface KeepsTypedProps {
  isChanged: () => boolean;
  /** Gets the question to ask. */
  onBlocked: (question: Question) => void;
}

let isMovedByPage = false;

/** Says whether the page itself is about to open or close a dialog: it has asked before, or has saved what is typed. */
export function setMovedByPage(isMoved: boolean): void {
  isMovedByPage = isMoved;
}

/** Asks before the back button drops what is typed. The browser asks before it loads another page. */
function KeepsTyped({ isChanged, onBlocked }: KeepsTypedProps): null {
  const { search } = useLocation();
  const blocker = useBlocker(() => !isMovedByPage && isChanged());
  const handled = useRef<typeof blocker | null>(null);
  useEffect(() => {
    if (blocker.state !== "blocked" || handled.current === blocker) return;
    handled.current = blocker;
    const ask = () => {
      // The router first returns to the entry of the dialog. Until then, another press of the back button would leave the list.
      if (window.location.search !== search) return window.addEventListener("popstate", ask, { once: true });
      onBlocked({ discard: blocker.proceed, keep: blocker.reset });
    };
    ask();
  });
  useBeforeUnload((event) => {
    if (isChanged()) event.preventDefault();
  });
  return null;
}

const CancelContext = createContext(
  (_form: HTMLFormElement | null, onCancel: (() => void) | undefined): void => onCancel?.(),
);

/**
 * Closes the dialog that it is in as Escape does: it asks before it drops what is typed. In a form that is a part of a dialog, it
 * asks about that form only, and then calls `onCancel` instead.
 */
export function CancelButton({ onCancel }: { onCancel?: (() => void) | undefined }) {
  const cancel = useContext(CancelContext);
  return <Button onClick={(event) => cancel(event.currentTarget.form, onCancel)}>Cancel</Button>;
}

/**
 * What is typed and chosen in a form, to compare it later. Includes fields without a name, whose text becomes a part of the
 * form later, and leaves out searches and what nobody can type.
 */
function valuesOf(form: HTMLFormElement): string {
  const values = [...form.elements].map((element) => {
    if (element instanceof HTMLInputElement) return valueOfInput(element);
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return element.value;
    return null;
  });
  return JSON.stringify(values.filter((value) => value !== null));
}

function valueOfInput(input: HTMLInputElement): string | boolean | null {
  if (input.type === "search" || input.readOnly) return null;
  return input.type === "checkbox" || input.type === "radio" ? input.checked : input.value;
}
