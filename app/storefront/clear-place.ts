/** What the floating button must not cover: everything that can be pressed, and prices. */
const KEEP_CLEAR = ":is(main, footer) :is(a, button, input, summary, [data-keep-clear])";
const GAP_PX = 6;

/** A part of the window: its edges in pixels from the top left corner. */
export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/**
 * How far a box has to move up, in pixels, so that it covers none of the others; 0 when it already does not, or when
 * there is no such place within `limit`.
 */
export function findLift(box: Box, others: readonly Box[], limit: number): number {
  const inTheWay = others.filter(({ left, right }) => left < box.right + GAP_PX && right > box.left - GAP_PX);
  let lift = 0;
  for (;;) {
    const covered = inTheWay.filter(
      ({ top, bottom }) => top < box.bottom - lift + GAP_PX && bottom > box.top - lift - GAP_PX,
    );
    if (covered.length === 0) return lift;
    lift = box.bottom + GAP_PX - Math.min(...covered.map(({ top }) => top));
    if (lift > limit) return 0;
  }
}

/** The boxes of the page that must stay clear, as far as they are in the window. */
export function boxesToKeepClear(): Box[] {
  return [...document.querySelectorAll(KEEP_CLEAR)]
    .filter(isLaidOut)
    .map((element) => element.getBoundingClientRect())
    .filter(({ width, top, bottom }) => width > 0 && bottom > 0 && top < window.innerHeight);
}

/** Cards far from the window are not laid out. Asking where their parts are would do it. Older browsers cannot tell. */
function isLaidOut(element: Element): boolean {
  return element.checkVisibility?.({ contentVisibilityAuto: true }) ?? true;
}
