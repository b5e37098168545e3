/** What happens later than this after a press happens for another reason. */
const PRESSED_WITHIN_MS = 1000;

/** The link or button that has just been pressed; null without one. */
export function findPressedControl(): Element | null {
  const press = window.preHydrationEvents?.press;
  const isRecent = press && performance.now() - press.timeStamp < PRESSED_WITHIN_MS;
  return isRecent && press.target instanceof Element ? press.target.closest("a, button") : null;
}

/** Shows on a control that what it was pressed for is coming. @returns ends it */
export function showPressed(control: Element | null): () => void {
  control?.setAttribute("data-pressed", "");
  return () => control?.removeAttribute("data-pressed");
}
