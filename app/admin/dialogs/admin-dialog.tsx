import { type ComponentProps, createContext, useContext, useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog, Dialog } from "../../ui/dialogs/dialog.tsx";
import { useBackStep } from "../../ui/dialogs/use-back-step.ts";

interface AdminDialogProps
  extends Omit<ComponentProps<typeof Dialog>, "onOpenChange" | "keepOnOutsidePress"> {
  onClose: () => void;
  /** It holds forms: a click outside does not close it, and it asks before it drops what is typed. */
  holdsForm?: boolean;
}

/** A dialog of the admin. The back button closes it and stays on the page. */
export function AdminDialog({ open, onClose, holdsForm = false, children, ...dialog }: AdminDialogProps) {
  const content = useRef<HTMLDivElement>(null);
  const untouched = useRef(new WeakMap<HTMLFormElement, string>());
  // What the question is about: what happens once the changes are discarded.
  const [asking, setAsking] = useState<{ discard: () => void } | null>(null);
  // Some are open from their first render on.
  const [shown, setShown] = useState<{ open: boolean; opener: Element | null }>({
    open: false,
    opener: null,
  });
  const { opener } = shown;
  if (shown.open !== open) setShown({ open, opener: open ? document.activeElement : opener });
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
  useBackStep(open ? "open" : "closed", requestClose);
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
        <CancelContext value={requestCancel}>{children}</CancelContext>
      </div>
      <ConfirmDialog
        open={asking !== null}
        title="Discard your changes?"
        confirmLabel="Discard Changes"
        cancelLabel="Keep Editing"
        onConfirm={() => {
          setAsking(null);
          asking?.discard();
        }}
        onClose={() => setAsking(null)}
      >
        <p>What you changed in this form is not saved yet.</p>
      </ConfirmDialog>
    </Dialog>
  );
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
 * form later, and leaves out searches.
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
  if (input.type === "search") return null;
  return input.type === "checkbox" || input.type === "radio" ? input.checked : input.value;
}

/** A dialog and what it was opened with. */
export interface Opened<Value> {
  isOpen: boolean;
  /** Stays while the dialog closes, and when the list no longer has it. null before the first opening. */
  value: Value | null;
  /** Another one for each opening: the key of a form that must not keep what was typed before. */
  key: number;
  open(value: Value): void;
  close(): void;
}

export function useOpened<Value>(): Opened<Value> {
  const [state, setState] = useState<Pick<Opened<Value>, "isOpen" | "value" | "key">>({
    isOpen: false,
    value: null,
    key: 0,
  });
  return {
    ...state,
    open: (value) => setState(({ key }) => ({ isOpen: true, value, key: key + 1 })),
    close: () => setState((before) => ({ ...before, isOpen: false })),
  };
}

/** Which dialog is open, and for which row. The row stays known while the dialog closes. */
export function useRowDialog<Name extends string, Row>() {
  const [opened, setOpened] = useState<{ name: Name; row: Row } | null>(null);
  const [isOpen, setOpen] = useState(false);
  return {
    /** The row that the dialog is about, as it was when the dialog was opened; null before the first one. */
    row: opened?.row ?? null,
    isOpen: (name: Name) => isOpen && opened?.name === name,
    open: (name: Name, row: Row) => {
      setOpened({ name, row });
      setOpen(true);
    },
    close: () => setOpen(false),
  };
}
