import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { LazyDialog } from "../ui/lazy-dialog.tsx";
import { usePreloadOnInteraction } from "../ui/use-preload-on-interaction.ts";
import type { WantedTool } from "./dialog/checkout-state.ts";
import { readWantedTool } from "./purchase-request.ts";

/** `price` is a hint in rupees; what counts is the shop's own answer. `onSuccess` is told when the dialog closes itself. */
export type PurchaseWish = WantedTool & { onSuccess?: () => void };

interface Purchase {
  openPurchase(tool: PurchaseWish): void;
}

/** One wish to buy. `opener` gets the focus back. */
export interface PurchaseRequest {
  id: number;
  tool: PurchaseWish;
  opener: Element | null;
}

const loadDesk = () =>
  import("./checkout-controller.tsx").then(({ CheckoutController }) => CheckoutController);

const PurchaseContext = createContext<Purchase | null>(null);

/** The one way into the purchase dialog, for any component below the provider. */
export function usePurchase(): Purchase {
  const purchase = useContext(PurchaseContext);
  if (purchase === null) throw new Error("usePurchase is called outside of PurchaseProvider.");
  return purchase;
}

/**
 * Holds the purchase dialog for the whole site. Also opens it on the window event `openPaymentModal` with the detail
 * `{ name, price, slug? }`. The dialog's code comes at the first sign of a person.
 */
export function PurchaseProvider({ children }: { children: ReactNode }) {
  const [request, setRequest] = useState<PurchaseRequest | null>(null);
  const lastId = useRef(0);
  usePreloadOnInteraction(loadDesk);

  const openPurchase = useCallback((tool: PurchaseWish) => {
    lastId.current += 1;
    setRequest({ id: lastId.current, tool, opener: document.activeElement });
  }, []);

  useEffect(() => {
    const onEvent = (event: Event) => {
      const tool = event instanceof CustomEvent ? readWantedTool(event.detail) : null;
      if (tool) openPurchase(tool);
    };
    window.addEventListener("openPaymentModal", onEvent);
    return () => window.removeEventListener("openPaymentModal", onEvent);
  }, [openPurchase]);

  const purchase = useMemo(() => ({ openPurchase }), [openPurchase]);
  return (
    <PurchaseContext value={purchase}>
      {children}
      {request ? (
        <LazyDialog load={loadDesk} props={{ request }} wanted onGiveUp={() => setRequest(null)} />
      ) : null}
    </PurchaseContext>
  );
}
