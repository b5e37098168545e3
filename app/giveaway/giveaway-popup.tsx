import { type ComponentType, useEffect, useState } from "react";
import { pendingClaim } from "../auth/pending-choice.ts";
import { useShared } from "../use-shared.ts";
import { noticeUse, whenAtRest } from "./page-at-rest.ts";
import { wasShownToday } from "./shown-until.ts";

/**
 * Shows the giveaway of today, once a day in each browser, when nobody uses the page. Its code and its data are loaded then, so
 * that the page does not wait for them; when they cannot be loaded, nothing is shown.
 */
export function GiveawayPopup() {
  const isAdmin = useShared().user?.isAdmin ?? false;
  const [Sheet, setSheet] = useState<ComponentType | null>(null);
  useEffect(() => {
    // A visitor who pressed Claim may come back from signing in by a new document.
    const isClaiming = pendingClaim.read() !== null;
    if (isAdmin || (wasShownToday() && !isClaiming)) return;
    const load = () =>
      void import("./giveaway-sheet.tsx").then(
        ({ GiveawaySheet }) => setSheet(() => GiveawaySheet),
        () => undefined,
      );
    const stopNoticing = noticeUse();
    const stopWaiting = isClaiming ? load() : whenAtRest(load);
    return () => {
      stopNoticing();
      stopWaiting?.();
    };
  }, [isAdmin]);
  return Sheet === null || isAdmin ? null : <Sheet />;
}
