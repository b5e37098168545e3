import { useEffect, useState } from "react";
import { LazyDialog } from "../../ui/dialogs/lazy-dialog.tsx";
import { t } from "../../ui/texts/texts.ts";

export async function loadTroubleshooter() {
  return (await import("./troubleshooter-dialog.tsx")).TroubleshooterDialog;
}

/** Leads to the troubleshooter. It is shown only after something has failed. */
export function TroubleshooterButton({ onClick }: { onClick: () => void }) {
  return (
    <p className="mt-3 text-center text-muted text-sm">
      <button
        type="button"
        onClick={onClick}
        className="inline-flex min-h-11 items-center rounded-sm font-medium text-accent underline underline-offset-4 hover:decoration-2"
      >
        {t("Trouble signing in?")}
      </button>
    </p>
  );
}

/** The button with its dialog, for a page. Renders nothing without scripts, because the checks need them. */
export function TroubleshooterOnPage() {
  const [state, setState] = useState<"no-scripts" | "unused" | "open" | "closed">("no-scripts");
  useEffect(() => setState("unused"), []);
  if (state === "no-scripts") return null;
  const open = state === "open";
  return (
    <>
      <TroubleshooterButton onClick={() => setState("open")} />
      {state === "unused" ? null : (
        <LazyDialog
          load={loadTroubleshooter}
          props={{ open, onClose: () => setState("closed") }}
          open={open}
          onGiveUp={() => setState("unused")}
        />
      )}
    </>
  );
}
