import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation, useRevalidator } from "react-router";
import { listenToOtherPages, tellOtherPages } from "../auth/session-channel.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { type Presence, useBackStep } from "../ui/use-back-step.ts";
import { useShared } from "../use-shared.ts";
import { checkoutApi } from "./checkout-api.ts";
import { type CheckoutFlow, createCheckoutFlow } from "./checkout-flow.ts";
import type { CheckoutState } from "./dialog/checkout-state.ts";
import { createGatewayWindow } from "./gateway/gateway-window.ts";
import { isDialogShown, PurchaseDialog } from "./dialog/purchase-dialog.tsx";
import type { PurchaseRequest } from "./purchase-provider.tsx";
import { wait } from "./wait.ts";

/** Longer than the dialog takes to fade out. */
const GONE_AT_LATEST_MS = 400;

/** The checkout of this page: one flow that outlives its dialog, wired to the session, the router and other tabs. */
export function CheckoutController({ request }: { request: PurchaseRequest }) {
  const { user } = useShared();
  const signedIn = user !== null;
  const { flow, onGone } = useFlow(request);
  const state = useSyncExternalStore(flow.subscribe, flow.getState, flow.getState);

  useEffect(() => flow.dispatch({ type: "open", tool: request.tool }), [flow, request]);
  useSignInStep(flow, state.step.name === "signing-in", signedIn);
  useCloseOnArrival(flow);
  useBackStep(
    presenceOf(state),
    useCallback(() => flow.dispatch({ type: "close" }), [flow]),
  );

  const focusAfter = () => {
    const step = flow.getState().step.name;
    if (step === "paying" || step === "signing-in") return false;
    return request.opener instanceof HTMLElement && request.opener.isConnected ? request.opener : null;
  };
  return (
    <PurchaseDialog
      state={state}
      dispatch={flow.dispatch}
      signedIn={signedIn}
      focusAfter={focusAfter}
      onGone={onGone}
    />
  );
}

/** Whoever has gone on to another page is done with the dialog. */
function useCloseOnArrival(flow: CheckoutFlow): void {
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
  return state.visible && state.step.name !== "closed" ? "away" : "closed";
}

/** What the flow reaches for when the time comes, always as of the last rendering. */
interface Surroundings {
  request: PurchaseRequest;
  storeName: string;
  revalidate: () => Promise<void>;
}

function useFlow(request: PurchaseRequest) {
  const { store } = useShared();
  const { revalidate } = useRevalidator();
  const now = useRef<Surroundings>({ request, storeName: store.name, revalidate });
  const gone = useRef<() => void>(() => undefined);

  const [flow] = useState(() =>
    createCheckoutFlow({
      api: checkoutApi,
      gatewayWindow: createGatewayWindow(() => now.current.storeName),
      wait,
      dialogGone: () =>
        new Promise((resolve) => {
          gone.current = resolve;
          setTimeout(resolve, GONE_AT_LATEST_MS);
        }),
      onBought: () => {
        void now.current.revalidate();
        tellOtherPages("bought");
      },
      onSignedOut: () => void now.current.revalidate(),
      onFinished: () => now.current.request.tool.onSuccess?.(),
    }),
  );
  useEffect(() => listenToOtherPages(() => flow.dispatch({ type: "refresh" })), [flow]);

  useEffect(() => {
    now.current = { request, storeName: store.name, revalidate };
  });
  return { flow, onGone: useCallback(() => gone.current(), []) };
}

/** While the buyer signs in, the sign-in dialog has the floor; what comes of it is told to the flow. */
function useSignInStep(flow: CheckoutFlow, signingIn: boolean, signedIn: boolean): void {
  const { openSignIn, isOpen } = useSignIn();
  const seenOpen = useRef(false);

  useEffect(() => {
    seenOpen.current = false;
    if (signingIn) openSignIn();
  }, [signingIn, openSignIn]);

  useEffect(() => {
    if (!signingIn) return;
    if (signedIn) flow.dispatch({ type: "signed-in" });
    else if (isOpen) seenOpen.current = true;
    else if (seenOpen.current) flow.dispatch({ type: "sign-in-closed" });
  }, [flow, signingIn, signedIn, isOpen]);
}
