import { useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";
import { type NavigateFunction, useLocation, useNavigate, useRevalidator } from "react-router";
import { pendingTool } from "../auth/pending-choice.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { messageForCode } from "../errors/error-messages.ts";
import { listenToOtherPages, notifyOtherPages } from "../live/page-channel.ts";
import { pagePath } from "../tools/page-path.ts";
import { type Presence, useBackStep } from "../ui/dialogs/use-back-step.ts";
import { useShared } from "../use-shared.ts";
import { checkoutApi } from "./checkout-api.ts";
import { type CheckoutFlow, createCheckoutFlow } from "./checkout-flow.ts";
import { isSameTool } from "./dialog/checkout-machine.ts";
import type { CheckoutState } from "./dialog/checkout-state.ts";
import { isDialogShown, PurchaseDialog } from "./dialog/purchase-dialog.tsx";
import { createGatewayWindow } from "./gateway-window.ts";
import { canTakeFocus, type PurchaseRequest } from "./purchase-request.ts";
import { startQuietTime } from "./quiet-time.ts";
import { rememberUnfinished, waitFor } from "./unfinished-checkout.ts";

/**
 * Connects one checkout flow to the session, the router and other tabs. The flow continues after its dialog is closed.
 */
export function CheckoutController({ request }: { request: PurchaseRequest }) {
  const { user } = useShared();
  const signedIn = user !== null;
  const navigate = useNavigate();
  const { flow, gatewayWindow } = useFlow(request, navigate);
  const state = useSyncExternalStore(flow.subscribe, flow.getState, flow.getState);
  const presence = presenceOf(state);
  const [isResetting, setResetting] = useState(false);
  const [, setRendered] = useState<PurchaseRequest | null>(null);
  const opener = useRef<Element | null>(null);

  // Before the page is painted: a shell of the dialog is there already, or a ticket grows into the dialog.
  useLayoutEffect(() => {
    const { option, renews, coupon, ...tool } = request.tool;
    const current = flow.getState();
    // After a sign-in in the dialog the page asks for the same tool again.
    if (canContinue(current) && isSameTool(current, tool.slug ?? tool.name)) {
      if (option !== undefined) flow.dispatch({ type: "option-chosen", label: option });
      return flow.dispatch({ type: "refresh" });
    }
    opener.current = request.opener;
    flow.dispatch({
      type: "open",
      tool,
      ...(option !== undefined && { option }),
      ...(coupon && { coupon }),
      ...(renews && { renews }),
    });
    void coupon?.check?.then((discountPercentage) => {
      if (discountPercentage === null || !isSameTool(flow.getState(), tool.slug ?? tool.name)) return;
      flow.dispatch({ type: "coupon-of-link-accepted", code: coupon.code, discountPercentage });
    });
    // The first time, React subscribes to the flow after the paint.
    setRendered(request);
  }, [flow, request]);
  useSignInStep(flow, state.step.name === "signing-in", signedIn);
  useSignInInDialog(flow, state, signedIn);
  useCloseOnNavigation(flow);
  const close = useCallback(() => {
    // The page behind the sheet has no way to what was just bought.
    if (flow.getState().step.name === "success") flow.leaveSuccess();
    else flow.dispatch({ type: "close" });
  }, [flow]);
  useBackStep(
    presence,
    useCallback(() => {
      if (isResetting) setResetting(false);
      else if (flow.getState().step.name === "paying") gatewayWindow.close();
      else close();
    }, [flow, gatewayWindow, isResetting, close]),
    isResetting ? "reset-password" : "",
    request.hasShell,
  );
  const asksForReset = isResetting && presence === "open" && !signedIn;
  if (isResetting && !asksForReset) setResetting(false);

  const focusAfterClose = () => {
    const step = flow.getState().step.name;
    if (step === "paying" || step === "signing-in") return false;
    if (canTakeFocus(opener.current)) return opener.current;
    // The dialog itself would focus the first control in it, and the next Tab would miss that one.
    queueMicrotask(() => document.getElementById("content")?.focus({ preventScroll: true }));
    return false;
  };
  return (
    <PurchaseDialog
      state={state}
      dispatch={flow.dispatch}
      signedIn={signedIn}
      isResetting={asksForReset}
      onReset={setResetting}
      replacesShell={request.hasShell}
      onClose={close}
      focusAfterClose={focusAfterClose}
    />
  );
}

/** Whether the dialog shows what can still be bought. */
function canContinue({ step, visible }: CheckoutState): boolean {
  return visible && (step.name === "payable" || step.name === "checking");
}

/**
 * A visitor signs in within the dialog and goes on with the same choice. It is also remembered, for a sign-in that loads the page
 * again.
 */
function useSignInInDialog(flow: CheckoutFlow, state: CheckoutState, signedIn: boolean): void {
  const slug = canContinue(state) ? state.offer?.slug : undefined;
  const { optionLabel } = state;
  useEffect(() => {
    if (!signedIn && slug !== undefined) pendingTool.remember(slug, optionLabel);
  }, [signedIn, slug, optionLabel]);

  // What a visitor has closed stays closed when they sign in later, or when the sign-in is still on its way.
  const isOpen = presenceOf(state) !== "closed";
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen && !signedIn) pendingTool.forget();
    wasOpen.current = isOpen;
  }, [isOpen, signedIn]);

  const wasSignedIn = useRef(signedIn);
  useEffect(() => {
    if (wasSignedIn.current === signedIn) return;
    wasSignedIn.current = signedIn;
    if (!signedIn || !canContinue(flow.getState())) return;
    pendingTool.forget();
    flow.dispatch({ type: "signed-in" });
  }, [flow, signedIn]);
}

/**
 * Navigating to another page closes the dialog. Another history entry of the same page does not: the back button from a part of
 * the page loads its data anew, and somebody may press a card meanwhile.
 */
function useCloseOnNavigation(flow: CheckoutFlow): void {
  const { pathname } = useLocation();
  const page = useRef(pathname);

  useEffect(() => {
    if (page.current === pathname) return;
    page.current = pathname;
    flow.dispatch({ type: "close" });
  }, [flow, pathname]);
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
  navigate: NavigateFunction;
}

function useFlow(request: PurchaseRequest, navigate: NavigateFunction) {
  const { store } = useShared();
  const { revalidate } = useRevalidator();
  const now = { request, storeName: store.name, revalidate, navigate };
  const latest = useRef<Latest>(now);

  const [gatewayWindow] = useState(() => createGatewayWindow(() => latest.current.storeName));
  const [flow] = useState(() => {
    let asked = request.offer;
    return createCheckoutFlow({
      api: {
        ...checkoutApi,
        offer: (tool, signal) => {
          const first = asked;
          asked = undefined;
          return checkoutApi.offer(tool, signal, first);
        },
      },
      gatewayWindow,
      wait: waitFor,
      waitForPaint,
      onPurchased: () => {
        startQuietTime();
        void latest.current.revalidate();
        notifyOtherPages("bought");
      },
      onTransition: rememberUnfinished,
      onSignedOut: () => void latest.current.revalidate(),
      onFinished: async ({ offer }) => {
        latest.current.request.tool.onSuccess?.();
        if (!offer) return;
        void latest.current.navigate(pagePath(offer.slug));
        // The dialog closes with the change of the page (`useCloseOnNavigation`). The navigation ends before React has changed
        // the page, and the focus would be on a control that disappears.
        await new Promise(() => undefined);
      },
    });
  });
  useEffect(() => listenToOtherPages(() => flow.dispatch({ type: "refresh" })), [flow]);

  useEffect(() => {
    latest.current = now;
  });
  return { flow, gatewayWindow };
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
