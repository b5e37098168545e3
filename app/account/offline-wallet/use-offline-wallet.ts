import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { useShared } from "../../use-shared.ts";
import { storeWallet, toStoredWallet } from "./stored-wallet.ts";

/**
 * What the worker handles. Requests elsewhere do not pass it: a wider scope would start it for each page of the shop.
 */
const SCOPES = ["/dashboard", "/auth/sign-out"];

/** Stores the passes that the dashboard shows, and registers the worker that shows them without a connection. */
export function useOfflineWallet(passes: readonly PassView[], shownAt: Date): void {
  const shared = useShared();
  const { revalidate } = useRevalidator();
  const isConfirmed = useRef(false);
  useEffect(() => {
    const { user } = shared;
    if (user === null) return;
    const wallet = toStoredWallet(passes, shownAt, shared);
    let isCurrent = true;
    const store = async () => {
      // A page that loads late may have missed a sign-out in another tab. Afterwards it hears of sign-outs.
      isConfirmed.current ||= await isSignedIn(user.id);
      if (!isCurrent) return;
      if (isConfirmed.current) await storeWallet(user.id, wallet);
      else await revalidate();
    };
    // Without a connection what is stored stays.
    store().catch(() => undefined);
    return () => {
      isCurrent = false;
    };
  }, [shared, passes, shownAt, revalidate]);
  useEffect(registerWorker, []);
}

/** Whether this account is signed in now. @throws without an answer */
async function isSignedIn(userId: string): Promise<boolean> {
  const response = await fetch("/api/auth/get-session", { cache: "no-store" });
  if (!response.ok) throw new Error(`get-session responded with ${response.status}`);
  const session: { user?: { id?: unknown } } | null = await response.json();
  return session?.user?.id === userId;
}

/** Waits until the page has loaded, so that the worker's download does not slow it down. */
function registerWorker(): (() => void) | undefined {
  // The development server has no built worker, and a browser without https has no workers.
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = () => {
    for (const scope of SCOPES)
      navigator.serviceWorker.register("/wallet-worker.js", { scope }).catch(() => undefined);
  };
  if (document.readyState === "complete") {
    register();
    return;
  }
  window.addEventListener("load", register, { once: true });
  return () => window.removeEventListener("load", register);
}
