import { useEffect } from "react";
import { registerServiceWorker } from "../../ui/optional-interfaces.ts";
import { useShared } from "../../use-shared.ts";
import { whenIdle } from "../../when-idle.ts";
import { type StoredWallet, storeWallet } from "./stored-wallet.ts";
import { walletOwner } from "./wallet-caches.ts";

/**
 * What the worker handles. Requests elsewhere do not pass it: a wider scope would start it for each page of the shop.
 */
const SCOPES = ["/dashboard", "/auth/sign-out"];

/** Registers the worker that shows the wallet without a connection. Call it when the page has loaded: it downloads a file. */
export function registerWorker(): void {
  // The development server has no built worker.
  if (!import.meta.env.PROD) return;
  for (const scope of SCOPES) registerServiceWorker("/wallet-worker.js", scope);
}

/** The account whose wallet this document has asked for. */
let refreshedFor: string | null = null;
let lastRefresh = 0;

/**
 * Stores the passes that the account of this page has now, without a visit of the dashboard. For the end of each purchase. Never
 * rejects: without an answer what is stored stays.
 */
export async function refreshWallet(): Promise<void> {
  const userId = walletOwner();
  if (userId === null) return;
  registerWorker();
  refreshedFor = userId;
  lastRefresh += 1;
  const refresh = lastRefresh;
  const answer = await fetchWallet().catch(() => null);
  // A later request has the later passes.
  if (refresh !== lastRefresh) return;
  // Another account, or none, may have signed in elsewhere since the page was loaded.
  if (answer?.userId === userId) await storeWallet(userId, answer.wallet);
  else refreshedFor = null;
}

/** @throws without an answer */
async function fetchWallet(): Promise<{ userId: string; wallet: StoredWallet } | null> {
  const response = await fetch("/dashboard/wallet", { cache: "no-store" });
  return response.ok ? await response.json() : null;
}

/** Stores the passes on another page than the dashboard, once in a document. @param hasPass whether the page shows a pass */
export function useFreshWallet(hasPass: boolean): void {
  const userId = useShared().user?.id ?? null;
  useEffect(() => {
    if (!hasPass || userId === null) return;
    return whenIdle(() => {
      if (refreshedFor !== userId) void refreshWallet();
    });
  }, [hasPass, userId]);
}
