import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { Banner } from "../../ui/banner.tsx";
import type { Elements } from "../../ui/texts/texts.ts";
import { PasswordDialog } from "./password-dialog.tsx";

const BANNER_MS = 3_000;

interface Feedback {
  /** Shows the green banner for 3 seconds. */
  showSuccess(message: string): void;
  /** Shows the red banner for 3 seconds. */
  showError(message: string): void;
  /** Asks for the admin's password, and then calls `onConfirmed`. */
  askPassword(onConfirmed: () => void): void;
}

type Shown = { tone: "success" | "error"; message: string };

const FeedbackContext = createContext<Feedback | null>(null);
const BannerContext = createContext<Shown | null>(null);

/** Keeps the banner of all admin pages, and the dialog that asks for the password. */
export function AdminFeedback({ children }: { children: Elements }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [asking, setAsking] = useState(false);
  const confirmed = useRef<() => void>(undefined);

  useEffect(() => {
    if (shown === null) return;
    const timer = setTimeout(() => setShown(null), BANNER_MS);
    return () => clearTimeout(timer);
  }, [shown]);

  const askPassword = useCallback((onConfirmed: () => void) => {
    confirmed.current = onConfirmed;
    setAsking(true);
  }, []);
  const feedback = useMemo<Feedback>(
    () => ({
      showSuccess: (message) => setShown({ tone: "success", message }),
      showError: (message) => setShown({ tone: "error", message }),
      askPassword,
    }),
    [askPassword],
  );
  return (
    <FeedbackContext value={feedback}>
      <BannerContext value={shown}>
        {children}
        <PasswordDialog
          open={asking}
          onClose={() => setAsking(false)}
          onConfirmed={() => {
            setAsking(false);
            confirmed.current?.();
          }}
        />
      </BannerContext>
    </FeedbackContext>
  );
}

/** The banner with the result of the last action. It stays in the window while the page below it is scrolled. */
export function FeedbackBanner() {
  const shown = useContext(BannerContext);
  return shown === null ? null : (
    <div className="sticky top-2 z-10 rounded-control bg-paper">
      <Banner tone={shown.tone}>{shown.message}</Banner>
    </div>
  );
}

export function useAdminFeedback(): Feedback {
  const feedback = useContext(FeedbackContext);
  if (feedback === null) throw new Error("this component is outside of AdminFeedback");
  return feedback;
}
