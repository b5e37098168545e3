import X from "lucide-react/icons/x";
import { useCallback, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Link, useLocation } from "react-router";
import { DateOnly } from "../date-time.tsx";
import { pagePath } from "../tools/page-path.ts";
import { BottomBar } from "../ui/bottom-bar.tsx";
import { VisuallyHidden } from "../ui/screen-reader-text.tsx";
import { useShared } from "../use-shared.ts";
import type { CheckoutState } from "./dialog/checkout-state.ts";

/** The pass that was just bought. */
export interface Purchased {
  slug: string;
  name: string;
  until: Date;
}

/** The pass of a checkout that has ended with success; null for any other. */
export function purchasedOf({ step, offer }: CheckoutState): Purchased | null {
  return step.name === "success" && offer ? { slug: offer.slug, name: offer.name, until: step.until } : null;
}

/** What was bought in this page, until the next page, the sign-out, or until it is dismissed. */
export function usePurchased() {
  const { pathname } = useLocation();
  const isSignedIn = useShared().user !== null;
  const [shown, setShown] = useState<(Purchased & { pathname: string }) | null>(null);
  const latestPath = useRef(pathname);
  useEffect(() => {
    latestPath.current = pathname;
  }, [pathname]);
  return {
    purchased: isSignedIn && shown?.pathname === pathname ? shown : null,
    show: useCallback((purchased: Purchased) => setShown({ ...purchased, pathname: latestPath.current }), []),
    dismiss: useCallback(() => setShown(null), []),
  };
}

interface PurchasedBarProps {
  purchased: Purchased | null;
  onDismiss: () => void;
}

/**
 * Says at the bottom of the page what was bought, and opens it, after the dialog has closed by itself.
 */
export function PurchasedBar({ purchased, onDismiss }: PurchasedBarProps) {
  // The status region exists before its content: screen readers announce changes of an existing one only.
  return createPortal(
    <div role="status">
      {purchased ? (
        <BottomBar label="Your purchase" className="receipt-bar">
          <p className="min-w-0 py-2 max-sm:flex-1">
            <span aria-hidden="true" className="font-semibold text-green">
              ✓
            </span>{" "}
            <strong className="wrap-anywhere font-semibold">{purchased.name}</strong> until{" "}
            <DateOnly date={purchased.until} />
          </p>
          <Link
            to={pagePath(purchased.slug)}
            className="inline-flex min-h-11 shrink-0 items-center font-semibold text-accent underline underline-offset-4"
          >
            Open<VisuallyHidden> {purchased.name}</VisuallyHidden>
          </Link>
          <button
            type="button"
            aria-label="Dismiss"
            title="Dismiss"
            onClick={() => {
              onDismiss();
              // The button that has the focus disappears.
              document.getElementById("content")?.focus({ preventScroll: true });
            }}
            className="-mr-2 ml-auto inline-flex size-11 shrink-0 items-center justify-center rounded-control text-muted transition-colors duration-150 hover:bg-ink/5 hover:text-ink"
          >
            <X className="size-5" aria-hidden="true" />
          </button>
        </BottomBar>
      ) : null}
    </div>,
    document.body,
  );
}
