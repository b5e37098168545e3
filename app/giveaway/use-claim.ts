import { useCallback, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { pendingClaim, pendingTool } from "../auth/pending-choice.ts";
import { useSignIn } from "../auth/sign-in-provider.tsx";
import { notifyOtherPages } from "../live/page-channel.ts";
import { NETWORK_ERROR_MESSAGE } from "../ui/shop-connection.tsx";
import { t } from "../ui/texts/texts.ts";
import { useShared } from "../use-shared.ts";
import { type ClaimedPass, sendClaim } from "./giveaway-api.ts";

export type ClaimState =
  | { kind: "idle" }
  | { kind: "sending" }
  | { kind: "claimed"; pass: ClaimedPass }
  | { kind: "refused"; message: string };

/**
 * Claims a giveaway. A visitor signs in first; the claim then goes on by itself, even when the sign-in has reloaded the
 * page. When the shop has accepted or refused the claim, the data of the page is loaded again.
 *
 * @param giveaway null while it is not known yet
 * @param onSettled called when the shop has accepted or refused a claim
 */
export function useClaim(
  giveaway: { roundId: string; toolName: string } | null,
  onSettled?: () => void,
): { state: ClaimState; claim: () => void } {
  const isSignedIn = useShared().user !== null;
  const { openSignInFor, isOpen: isSigningIn } = useSignIn();
  const [state, setState] = useState<ClaimState>({ kind: "idle" });
  const { revalidate } = useRevalidator();
  const settled = useRef<() => void>(null);
  useEffect(() => {
    settled.current = () => {
      void revalidate();
      onSettled?.();
    };
  }, [onSettled, revalidate]);
  const { roundId = null, toolName = "" } = giveaway ?? {};

  const signInFirst = useCallback(() => {
    if (roundId === null) return;
    pendingTool.forget();
    pendingClaim.remember(roundId);
    openSignInFor({ name: toolName });
  }, [roundId, toolName, openSignInFor]);

  const send = useCallback(async () => {
    if (roundId === null) return;
    setState({ kind: "sending" });
    const result = await sendClaim(roundId);
    if (result.ok) {
      setState({ kind: "claimed", pass: result.value });
      notifyOtherPages("bought");
    } else if (result.refusal?.code === "unauthenticated") {
      // The session has ended since the page was loaded.
      setState({ kind: "idle" });
      signInFirst();
    } else setState({ kind: "refused", message: result.refusal?.message ?? t(NETWORK_ERROR_MESSAGE) });
    settled.current?.();
  }, [roundId, signInFirst]);

  useEffect(() => {
    if (!isSignedIn || roundId === null || pendingClaim.read()?.id !== roundId) return;
    pendingClaim.forget();
    void send();
  }, [isSignedIn, roundId, send]);

  // Closing the sign-in dialog gives up the claim.
  const wasSigningIn = useRef(false);
  useEffect(() => {
    if (wasSigningIn.current && !isSigningIn && !isSignedIn) pendingClaim.forget();
    wasSigningIn.current = isSigningIn;
  }, [isSigningIn, isSignedIn]);

  return { state, claim: isSignedIn ? () => void send() : signInFirst };
}
