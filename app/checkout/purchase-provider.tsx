import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { findPressedControl } from "../ui/button.tsx";
import { closeOpenDialogs } from "../ui/dialogs/give-way.ts";
import { LazyDialog, usePreloadOnInteraction } from "../ui/dialogs/lazy-dialog.tsx";
import type { Elements } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { type PurchaseInput, type PurchaseRequest, parseRequestedTool } from "./purchase-request.ts";
import { readUnfinished, type UnfinishedCheckout } from "./unfinished-checkout.ts";

interface Purchase {
  openPurchase(tool: PurchaseInput): void;
}

const loadController = () =>
  import("./checkout-controller.tsx").then(({ CheckoutController }) => CheckoutController);

const loadResumed = () => import("./purchased-bar.tsx").then(({ ResumedCheckout }) => ResumedCheckout);

const PurchaseContext = createContext<Purchase | null>(null);

/** Opens the purchase dialog from any component below the provider. */
export function usePurchase(): Purchase {
  const purchase = useContext(PurchaseContext);
  if (purchase === null) throw new Error("usePurchase is called outside of PurchaseProvider.");
  return purchase;
}

/**
 * Renders the purchase dialog for the whole site. Also opens it on the window event `openPaymentModal` with the detail `{ name,
 * price, slug? }` or `{ tool: { name, price, slug? } }`. The dialog's code is loaded at the first interaction with the page.
 */
export function PurchaseProvider({ children }: { children: Elements }) {
  const [request, setRequest] = useState<PurchaseRequest | null>(null);
  const unfinished = useUnfinishedCheckout();
  const lastId = useRef(0);
  usePreloadOnInteraction(loadController);

  const openPurchase = useCallback((tool: PurchaseInput) => {
    lastId.current += 1;
    const { activeElement, body } = document;
    // Safari focuses no button that is pressed by a pointer.
    const opener = activeElement === body ? findPressedControl() : activeElement;
    setRequest({ id: lastId.current, tool, opener });
  }, []);

  useEffect(() => {
    const onEvent = (event: Event) => {
      const tool = event instanceof CustomEvent ? parseRequestedTool(event.detail) : null;
      if (tool === null) return;
      closeOpenDialogs();
      openPurchase(tool);
    };
    window.addEventListener("openPaymentModal", onEvent);
    return () => window.removeEventListener("openPaymentModal", onEvent);
  }, [openPurchase]);

  const purchase = useMemo(() => ({ openPurchase }), [openPurchase]);
  return (
    <PurchaseContext value={purchase}>
      {children}
      {request ? (
        <LazyDialog load={loadController} props={{ request }} open onGiveUp={() => setRequest(null)} />
      ) : null}
      {unfinished && !request ? (
        <LazyDialog
          load={loadResumed}
          props={{ checkout: unfinished, onContinue: openPurchase }}
          open={false}
          onGiveUp={() => undefined}
        />
      ) : null}
    </PurchaseContext>
  );
}

/** The checkout that was open when a signed-in buyer loaded the page again; null if there is none. */
function useUnfinishedCheckout(): UnfinishedCheckout | null {
  const isSignedIn = useShared().user !== null;
  const [unfinished, setUnfinished] = useState<UnfinishedCheckout | null>(null);
  useEffect(() => setUnfinished(isSignedIn ? readUnfinished() : null), [isSignedIn]);
  return unfinished;
}
