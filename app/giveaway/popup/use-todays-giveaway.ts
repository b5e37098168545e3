import { useCallback, useEffect, useState } from "react";
import { useShared } from "../../use-shared.ts";
import { fetchTodaysGiveaway, type ShownGiveaway } from "../giveaway-api.ts";

/** What comes before the giveaway: dialogs, and the bar that says what was just bought. */
const FIRST = "[role=dialog], [role=alertdialog], .receipt-bar";
const LOOK_AGAIN_MS = 1_000;

export const isDialogOpen = (): boolean => document.querySelector(FIRST) !== null;

/**
 * The giveaway of today, fetched as soon as no dialog and no receipt is open; null before, and when there is none. It is fetched again
 * when somebody signs in or out.
 */
export function useTodaysGiveaway(): { giveaway: ShownGiveaway | null; reload: () => void } {
  const email = useShared().user?.email ?? null;
  const [giveaway, setGiveaway] = useState<ShownGiveaway | null>(null);
  const [isDue, setDue] = useState(false);
  const reload = useCallback(() => {
    void fetchTodaysGiveaway().then((result) => {
      // When it cannot be fetched, what is shown stays.
      if (result.ok) setGiveaway(result.value.giveaway);
    });
  }, []);

  useEffect(() => {
    const look = () => {
      if (isDialogOpen()) return;
      clearInterval(timer);
      setDue(true);
    };
    const timer = setInterval(look, LOOK_AGAIN_MS);
    look();
    return () => clearInterval(timer);
  }, []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another user has another part in the giveaway
  useEffect(() => {
    if (isDue) reload();
  }, [isDue, email, reload]);
  return { giveaway, reload };
}
