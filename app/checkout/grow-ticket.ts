import { flushSync } from "react-dom";
import { startTransition } from "../ui/optional-interfaces.ts";

/**
 * Makes a change that opens the sheet of a tool, and lets the pressed ticket grow into it. The change itself waits for one frame
 * at most; without a ticket, without view transitions, before their styles have come, and for those who want no motion it is made
 * at once.
 */
export function growTicket(ticket: Element | null, change: () => void): void {
  const root = document.documentElement;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (ticket === null || isStill || document.hidden) return change();
  root.dataset.growing = "ticket";
  if (getComputedStyle(root).getPropertyValue("view-transition-name") !== "none") {
    delete root.dataset.growing;
    return change();
  }
  ticket.setAttribute("data-grows", "");
  const transition = startTransition(() => {
    ticket.removeAttribute("data-grows");
    root.dataset.growing = "sheet";
    flushSync(change);
  });
  const end = () => {
    ticket.removeAttribute("data-grows");
    delete root.dataset.growing;
  };
  if (transition === null) {
    end();
    return change();
  }
  const { ready, updateCallbackDone, finished } = transition;
  finished.then(end, end);
  // A transition that is skipped, such as by the next one, is no error: the change has been made.
  for (const promise of [ready, updateCallbackDone]) promise.catch(() => undefined);
}
