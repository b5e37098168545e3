import { useEffect, useRef } from "react";
import { useRevalidator } from "react-router";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { useShared } from "../../use-shared.ts";
import { whenIdle } from "../../when-idle.ts";
import { registerWorker } from "./refresh-wallet.ts";
import { storeWallet, toStoredWallet } from "./stored-wallet.ts";

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
  useEffect(() => whenIdle(registerWorker), []);
}

/** Whether this account is signed in now. @throws without an answer */
async function isSignedIn(userId: string): Promise<boolean> {
  const response = await fetch("/api/auth/get-session", { cache: "no-store" });
  if (!response.ok) throw new Error(`get-session responded with ${response.status}`);
  const session: { user?: { id?: unknown } } | null = await response.json();
  return session?.user?.id === userId;
}
