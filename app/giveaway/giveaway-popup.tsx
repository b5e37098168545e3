import { type ComponentType, useEffect, useState } from "react";
import { pendingClaim } from "../auth/pending-choice.ts";
import { useShared } from "../use-shared.ts";
import { wasShownToday } from "./shown-until.ts";

/** After the page has become interactive. */
const SHOW_AFTER_MS = 3_000;

/**
 * Shows the giveaway of today, once a day in each browser. Its code and its data are loaded when it is due, so that the
 * page does not wait for them; when they cannot be loaded, nothing is shown.
 */
export function GiveawayPopup() {
  const isAdmin = useShared().user?.isAdmin ?? false;
  const [Sheet, setSheet] = useState<ComponentType | null>(null);
  useEffect(() => {
    // A visitor who pressed Claim may come back from signing in by a new document.
    const isClaiming = pendingClaim.read() !== null;
    if (isAdmin || (wasShownToday() && !isClaiming)) return;
    const timer = setTimeout(
      () =>
        import("./giveaway-sheet.tsx").then(
          ({ GiveawaySheet }) => setSheet(() => GiveawaySheet),
          () => undefined,
        ),
      isClaiming ? 0 : SHOW_AFTER_MS,
    );
    return () => clearTimeout(timer);
  }, [isAdmin]);
  return Sheet === null || isAdmin ? null : <Sheet />;
}
