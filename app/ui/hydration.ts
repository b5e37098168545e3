let hydrated = false;
/** What waits for its turn after the page has been hydrated, in the order of the page. */
const turns: (() => void)[] = [];

/** Whether the page has taken over what the server rendered. False on the server. */
export const isHydrated = (): boolean => hydrated;

/** A layout effect of the document. */
export function markHydrated(): void {
  hydrated = true;
}

/** Calls the function in a task of its own, after all that have been queued before. */
export function queueTurn(turn: () => void): void {
  turns.push(turn);
  if (turns.length === 1) setTimeout(nextTurn);
}

function nextTurn(): void {
  turns.shift()?.();
  if (turns.length > 0) setTimeout(nextTurn);
}
