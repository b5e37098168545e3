import X from "lucide-react/icons/x";
import { useCallback, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Link, useLocation, useRevalidator } from "react-router";
import { hasNoEnd } from "#core/time.ts";
import { orderPath } from "../account/purchase-words.ts";
import { DateOnly } from "../time/date-time.tsx";
import { pagePath } from "../tools/page-path.ts";
import { BottomBar } from "../ui/bottom-bar.tsx";
import { VisuallyHidden } from "../ui/text.tsx";
import { t, tNodes } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { type CheckoutStatus, checkoutApi } from "./checkout-api.ts";
import { dismissCheckout, useIsDismissed } from "./dismissed-checkouts.ts";
import type { PurchaseInput } from "./purchase-request.ts";
import { startQuietTime } from "./quiet-time.ts";
import { readUnfinished, type UnfinishedCheckout, waitFor, waitForOutcome } from "./unfinished-checkout.ts";

/** The outcome of a checkout: the pass that was bought, or why there is none yet. */
type Purchased = { name: string } & (
  | { slug: string; until: Date }
  | { purchaseId: string; missing: "refunded" | "not-taken" | "cancelled" }
  | { slug: string; unpaid: true }
);

/** What was bought on this page. The next page, a sign-out and dismissing it clear it. */
function usePurchased() {
  const { pathname } = useLocation();
  const isSignedIn = useShared().user !== null;
  const [shown, setShown] = useState<{ purchased: Purchased; pathname: string } | null>(null);
  const latestPath = useRef(pathname);
  useEffect(() => {
    latestPath.current = pathname;
  }, [pathname]);
  return {
    purchased: isSignedIn && shown?.pathname === pathname ? shown.purchased : null,
    show: useCallback((purchased: Purchased) => setShown({ purchased, pathname: latestPath.current }), []),
    dismiss: useCallback(() => setShown(null), []),
  };
}

const MISSING_WORDS = {
  refunded: "{tool}: your payment is being refunded",
  "not-taken": "{tool}: we didn’t take your payment",
  cancelled: "{tool}: the shop has cancelled this purchase",
} as const;

interface ResumedCheckoutProps {
  checkout: UnfinishedCheckout;
  /** Opens the purchase dialog. */
  onContinue: (tool: PurchaseInput) => void;
}

/** Tells once, in the page that was loaded again during a payment, what became of it. */
export function ResumedCheckout({ checkout, onContinue }: ResumedCheckoutProps) {
  const { purchased, show, dismiss } = usePurchased();
  const isUnpaid = purchased !== null && "unpaid" in purchased;
  const isDismissed = useIsDismissed(checkout.purchaseId);
  const { revalidate } = useRevalidator();
  const latestRevalidate = useRef(revalidate);
  useEffect(() => {
    latestRevalidate.current = revalidate;
  });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const { purchaseId, slug, name } = checkout;
    const onOpen = (state: CheckoutStatus["state"]) => {
      if (state === "confirming") dismiss();
      // The dashboard has a banner about it.
      else if (window.location.pathname !== "/dashboard") show({ name, slug, unpaid: true });
    };
    void waitForOutcome(checkout, { api: checkoutApi, wait: waitFor, onOpen }, signal).then((outcome) => {
      switch (outcome?.state) {
        case "success":
          startQuietTime();
          show({ name, slug, until: outcome.expiresAt });
          void latestRevalidate.current();
          break;
        case "refunded":
        case "not-taken":
        case "cancelled":
          show({ name, purchaseId, missing: outcome.state });
          break;
        default:
          if (readUnfinished() === null) dismiss();
      }
    });
    return () => controller.abort();
  }, [checkout, show, dismiss]);
  const dismissEverywhere = () => {
    if (isUnpaid) dismissCheckout(checkout.purchaseId);
    dismiss();
  };
  return (
    <PurchasedBar
      purchased={isUnpaid && isDismissed ? null : purchased}
      onContinue={onContinue}
      onDismiss={dismissEverywhere}
    />
  );
}

interface PurchasedBarProps {
  purchased: Purchased | null;
  onContinue: ResumedCheckoutProps["onContinue"];
  onDismiss: () => void;
}

/**
 * Says at the bottom of the page what was bought, and opens it.
 */
function PurchasedBar({ purchased, onContinue, onDismiss }: PurchasedBarProps) {
  // The status region exists before its content: screen readers announce changes of an existing one only.
  return createPortal(
    <div role="status">
      {purchased ? (
        <BottomBar label={t("Your purchase")} className="receipt-bar">
          <p className="min-w-0 py-2 max-sm:flex-1">
            <WhatBecameOfIt purchased={purchased} />
          </p>
          <NextStep purchased={purchased} onContinue={onContinue} />
          <button
            type="button"
            aria-label={t("Dismiss")}
            title={t("Dismiss")}
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

const ACTION =
  "inline-flex min-h-11 shrink-0 items-center font-semibold text-accent underline underline-offset-4";

function NextStep({
  purchased,
  onContinue,
}: {
  purchased: Purchased;
  onContinue: ResumedCheckoutProps["onContinue"];
}) {
  const { name } = purchased;
  if ("unpaid" in purchased)
    return (
      <button
        type="button"
        aria-label={t("Continue with {tool}", { tool: name })}
        onClick={() => onContinue({ slug: purchased.slug, name, price: 0 })}
        className={ACTION}
      >
        {t("Continue")}
      </button>
    );
  const isPass = "until" in purchased;
  return (
    <Link to={isPass ? pagePath(purchased.slug) : orderPath(purchased.purchaseId)} className={ACTION}>
      {tNodes(isPass ? "Open {tool}" : "Details {tool}", {
        tool: <VisuallyHidden key="tool">{name}</VisuallyHidden>,
      })}
    </Link>
  );
}

function WhatBecameOfIt({ purchased }: { purchased: Purchased }) {
  const tool = (
    <strong key="tool" className="wrap-anywhere font-semibold">
      {purchased.name}
    </strong>
  );
  if ("unpaid" in purchased) return <>{tNodes("{tool}: your payment isn’t finished", { tool })}</>;
  if ("missing" in purchased) return <>{tNodes(MISSING_WORDS[purchased.missing], { tool })}</>;
  return (
    <>
      <span aria-hidden="true" className="font-semibold text-green">
        ✓
      </span>{" "}
      {hasNoEnd(purchased.until)
        ? tNodes("{tool}: no end", { tool })
        : tNodes("{tool} until {date}", { tool, date: <DateOnly key="date" date={purchased.until} /> })}
    </>
  );
}
