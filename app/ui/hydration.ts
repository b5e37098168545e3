/** Marks of the User Timing API. `pageHydrated`: the page handles its events, apart from cards and the footer. */
export const HYDRATION_MARKS = { page: "page-hydrated", allParts: "all-parts-hydrated" } as const;

/** Something that is hydrated in a task of its own. */
export interface Turn {
  promise: Promise<void>;
  hasCome: boolean;
}

let hydrated = false;
/** What waits for its turn, in the order of the page. */
const turns: (() => void)[] = [];
let tasks: MessageChannel | undefined;

/** Whether the page has taken over what the server rendered. False on the server. */
export const isHydrated = (): boolean => hydrated;

/** A layout effect of the document. */
export function markHydrated(): void {
  hydrated = true;
  performance.mark(HYDRATION_MARKS.page);
}

/** Calls the function in a task of its own, after all that have been queued before. For the browser only. */
export function queueTurn(turn: () => void): void {
  turns.push(turn);
  if (turns.length === 1) requestTask();
}

/** @returns null when there is nothing to wait for: on the server, and in a page that has been hydrated */
export function takeTurn(): Turn | null {
  if (typeof document === "undefined" || hydrated) return null;
  const turn: Turn = { promise: Promise.resolve(), hasCome: false };
  turn.promise = new Promise((resolve) => {
    queueTurn(() => {
      turn.hasCome = true;
      resolve();
    });
  });
  return turn;
}

/** Suspends the component until its turn has come. */
export function waitForTurn(turn: Turn | null): void {
  if (turn && !turn.hasCome) throw turn.promise;
}

/** A message, because browsers delay timers that start each other by 4 ms. */
function requestTask(): void {
  if (!tasks) {
    tasks = new MessageChannel();
    tasks.port1.onmessage = nextTurn;
  }
  tasks.port2.postMessage(null);
}

function nextTurn(): void {
  turns.shift()?.();
  if (turns.length > 0) requestTask();
}
