import { useEffect } from "react";
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
  useEffect(() => {
    if (shared.user !== null) void storeWallet(shared.user.id, toStoredWallet(passes, shownAt, shared));
  }, [shared, passes, shownAt]);
  useEffect(registerWorker, []);
}

/** After the page has loaded, so that the worker takes no part of a slow connection from it. */
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
