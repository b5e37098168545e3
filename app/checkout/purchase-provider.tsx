import {
  type ComponentType,
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { findPressedControl } from "../ui/button.tsx";
import { closeOpenDialogs } from "../ui/dialogs/give-way.ts";
import { LazyDialog, usePreloadOnInteraction } from "../ui/dialogs/lazy-dialog.tsx";
import type { Elements } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { growTicket } from "./grow-ticket.ts";
import {
  canTakeFocus,
  fetchOffer,
  type PurchaseInput,
  type PurchaseRequest,
  parseRequestedTool,
} from "./purchase-request.ts";
import { PurchaseShell } from "./sheet-skeleton.tsx";
import { readUnfinished, type UnfinishedCheckout } from "./unfinished-checkout.ts";

interface Purchase {
  openPurchase(tool: PurchaseInput): void;
  /** Loads the code of the dialog, so that it opens at once later. Never rejects. */
  preparePurchase(): void;
}

let Controller: ComponentType<{ request: PurchaseRequest }> | null = null;

const loadController = async () => {
  Controller ??= (await import("./checkout-controller.tsx")).CheckoutController;
  return Controller;
};

const loadResumed = () => import("./purchased-bar.tsx").then(({ ResumedCheckout }) => ResumedCheckout);

// A failure is no error yet, because the code is loaded again when it is needed.
const preparePurchase = () => void loadController().catch(() => undefined);

const PurchaseContext = createContext<Purchase | null>(null);

/** Opens the purchase dialog from any component below the provider. */
export function usePurchase(): Purchase {
  const purchase = useContext(PurchaseContext);
  if (purchase === null) throw new Error("usePurchase is called outside of PurchaseProvider.");
  return purchase;
}

/**
 * Renders the purchase dialog for the whole site. Also opens it on the window event `openPaymentModal` with the detail `{ name,
 * price, slug? }` or `{ tool: { name, price, slug? } }`. Until the dialog's code is there, a shell of it shows what the page knows.
 */
export function PurchaseProvider({ children }: { children: Elements }) {
  const [request, setRequest] = useState<PurchaseRequest | null>(null);
  const unfinished = useUnfinishedCheckout();
  const lastId = useRef(0);
  /** The tool that was pressed last. */
  const waitingFor = useRef<string | null>(null);
  usePreloadOnInteraction(loadController);

  const openPurchase = useCallback((tool: PurchaseInput) => {
    const wanted = tool.slug ?? tool.name;
    // The second press of a double click, while the code of the dialog is still being loaded.
    if (Controller === null && waitingFor.current === wanted) return;
    waitingFor.current = wanted;
    lastId.current += 1;
    const { activeElement, body } = document;
    // Safari focuses no button that is pressed by a pointer.
    const opener = activeElement === body ? findPressedControl() : activeElement;
    const id = lastId.current;
    // The dialog asks itself as soon as its code is there.
    const offer = Controller === null ? fetchOffer(tool) : undefined;
    // A rejection is handled where the answer is read.
    offer?.catch(() => undefined);
    growTicket(opener?.closest("[data-ticket]") ?? null, () =>
      setRequest({ id, tool, opener, ...(offer && { offer }), hasShell: Controller === null }),
    );
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

  const giveUp = () => {
    waitingFor.current = null;
    const opener = request?.opener;
    flushSync(() => setRequest(null));
    (canTakeFocus(opener) ? opener : document.getElementById("content"))?.focus({ preventScroll: true });
  };
  const purchase = useMemo(() => ({ openPurchase, preparePurchase }), [openPurchase]);
  return (
    <PurchaseContext value={purchase}>
      {children}
      {request ? (
        <LazyDialog
          load={loadController}
          loaded={Controller}
          props={{ request }}
          open
          shell={<PurchaseShell tool={request.tool} onClose={giveUp} />}
          onGiveUp={giveUp}
        />
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
