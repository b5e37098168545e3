import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation, useRevalidator } from "react-router";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { listenToOtherPages, notifyOtherPages } from "../live/page-channel.ts";
import { messageForCode } from "../middleware/error-messages.ts";
import { type Presence, useBackStep } from "../ui/dialogs/use-back-step.ts";
import { useShared } from "../use-shared.ts";
import { checkoutApi } from "./checkout-api.ts";
import { type CheckoutFlow, createCheckoutFlow } from "./checkout-flow.ts";
import type { CheckoutState } from "./dialog/checkout-state.ts";
import { isDialogShown, PurchaseDialog } from "./dialog/purchase-dialog.tsx";
import { createGatewayWindow } from "./gateway-window.ts";
import type { PurchaseRequest } from "./purchase-request.ts";
import { type Purchased, PurchasedBar, purchasedOf, usePurchased } from "./purchased-bar.tsx";
import { rememberUnfinished, waitFor } from "./unfinished-checkout.ts";

/** Longer than the dialog's closing animation. */
const EXIT_TIMEOUT_MS = 400;

/**
 * Connects one checkout flow to the session, the router and other tabs. The flow continues after its dialog is closed.
 */
export function CheckoutController({ request }: { request: PurchaseRequest }) {
  const { user } = useShared();
  const signedIn = user !== null;
  const { purchased, show, dismiss } = usePurchased();
  const { flow, gatewayWindow, onExited } = useFlow(request, show);
  const state = useSyncExternalStore(flow.subscribe, flow.getState, flow.getState);

  useEffect(() => {
    const { option, ...tool } = request.tool;
    flow.dispatch({ type: "open", tool, ...(option === undefined ? {} : { option }) });
  }, [flow, request]);
  useSignInStep(flow, state.step.name === "signing-in", signedIn);
  useCloseOnNavigation(flow);
  useBackStep(
    presenceOf(state),
    useCallback(() => {
      if (flow.getState().step.name === "paying") gatewayWindow.close();
      else flow.dispatch({ type: "close" });
    }, [flow, gatewayWindow]),
  );

  const focusAfterClose = () => {
    const step = flow.getState().step.name;
    if (step === "paying" || step === "signing-in") return false;
    const { opener } = request;
    // A window event may come without a focused element.
    if (!(opener instanceof HTMLElement) || opener === document.body)
      return document.getElementById("content");
    return opener.isConnected ? opener : null;
  };
  return (
    <>
      <PurchaseDialog
        state={state}
        dispatch={flow.dispatch}
        signedIn={signedIn}
        focusAfterClose={focusAfterClose}
        onExited={onExited}
      />
      <PurchasedBar purchased={purchased} onDismiss={dismiss} />
    </>
  );
}

/** Navigating to another page closes the dialog. */
function useCloseOnNavigation(flow: CheckoutFlow): void {
  const { key } = useLocation();
  const page = useRef(key);

  useEffect(() => {
    if (page.current === key) return;
    page.current = key;
    flow.dispatch({ type: "close" });
  }, [flow, key]);
}

function presenceOf(state: CheckoutState): Presence {
  if (isDialogShown(state)) return "open";
  return state.visible && state.step.name !== "closed" ? "hidden" : "closed";
}

/** What the flow's callbacks use, as of the last render. */
interface Latest {
  request: PurchaseRequest;
  storeName: string;
  revalidate: () => Promise<void>;
}

function useFlow(request: PurchaseRequest, showPurchased: (purchased: Purchased) => void) {
  const { store } = useShared();
  const { revalidate } = useRevalidator();
  const latest = useRef<Latest>({ request, storeName: store.name, revalidate });
  const exited = useRef<() => void>(() => undefined);
  const finished = useRef<Purchased | null>(null);

  const [gatewayWindow] = useState(() => createGatewayWindow(() => latest.current.storeName));
  const [flow] = useState(() =>
    createCheckoutFlow({
      api: checkoutApi,
      gatewayWindow,
      wait: waitFor,
      waitForPaint,
      waitForDialogExit: () =>
        new Promise((resolve) => {
          exited.current = resolve;
          setTimeout(resolve, EXIT_TIMEOUT_MS);
        }),
      onPurchased: () => {
        void latest.current.revalidate();
        notifyOtherPages("bought");
      },
      onTransition: rememberUnfinished,
      onSignedOut: () => void latest.current.revalidate(),
      onFinished: (state) => {
        finished.current = purchasedOf(state);
        latest.current.request.tool.onSuccess?.();
      },
    }),
  );
  useEffect(() => listenToOtherPages(() => flow.dispatch({ type: "refresh" })), [flow]);

  useEffect(() => {
    latest.current = { request, storeName: store.name, revalidate };
  });
  const onExited = useCallback(() => {
    exited.current();
    // Not before: the open dialog hides the rest of the page from screen readers.
    if (finished.current) showPurchased(finished.current);
    finished.current = null;
  }, [showPurchased]);
  return { flow, gatewayWindow, onExited };
}

/** Opens the sign-in dialog for the step "signing-in" and dispatches its result. */
function useSignInStep(flow: CheckoutFlow, signingIn: boolean, signedIn: boolean): void {
  const { openSignInBecause, isOpen } = useSignIn();
  const wasOpen = useRef(false);

  useEffect(() => {
    wasOpen.current = false;
    if (signingIn) openSignInBecause(messageForCode("unauthenticated"));
  }, [signingIn, openSignInBecause]);

  useEffect(() => {
    if (!signingIn) return;
    if (signedIn) flow.dispatch({ type: "signed-in" });
    else if (isOpen) wasOpen.current = true;
    else if (wasOpen.current) flow.dispatch({ type: "sign-in-closed" });
  }, [flow, signingIn, signedIn, isOpen]);
}

/** The second frame begins when the first, which contains the last change of the page, has been painted. */
function waitForPaint(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
}
