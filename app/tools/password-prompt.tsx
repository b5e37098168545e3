import { createContext, useContext, useState } from "react";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import type { Elements } from "../ui/texts/texts.ts";

type AskPassword = (onConfirmed: () => void) => void;

const AskPasswordContext = createContext<AskPassword | null>(null);

const loadDialog = async () => (await import("../admin/dashboard/password-dialog.tsx")).PasswordDialog;

/** Asks an admin on a tool page for the password. Buyers are never asked, so they do not load the dialog. */
export function PasswordPrompt({ children }: { children: Elements }) {
  const [asked, setAsked] = useState<{ isOpen: boolean; onConfirmed: () => void } | null>(null);
  const close = () => setAsked((before) => before && { ...before, isOpen: false });
  return (
    <AskPasswordContext value={(onConfirmed) => setAsked({ isOpen: true, onConfirmed })}>
      {children}
      {asked === null ? null : (
        <LazyDialog
          load={loadDialog}
          open={asked.isOpen}
          onGiveUp={close}
          props={{
            open: asked.isOpen,
            onClose: close,
            onConfirmed: () => {
              close();
              asked.onConfirmed();
            },
          }}
        />
      )}
    </AskPasswordContext>
  );
}

/** Opens the dialog, which calls `onConfirmed` after the right password. */
export function useAskPassword(): AskPassword {
  const ask = useContext(AskPasswordContext);
  if (ask === null) throw new Error("this component is outside of PasswordPrompt");
  return ask;
}
