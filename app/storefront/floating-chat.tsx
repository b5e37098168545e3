import { useEffect, useRef, useState } from "react";
import { useQuietTime } from "../checkout/quiet-time.ts";
import { classNames } from "../ui/class-names.ts";
import { Icon, MESSAGE, X } from "./icons.tsx";

const DISMISSED_KEY = "chat-label-dismissed";
const LABEL_AFTER_MS = 15_000;
/** Without a scroll event for this long, the visitor has stopped scrolling. */
const SCROLL_END_MS = 160;
const MAX_LIFT_PX = 360;

/**
 * A floating button that opens the support chat. Its label can be dismissed permanently; the button stays. It hides
 * while the visitor scrolls, and comes back at a place where it covers no price and nothing that can be pressed.
 */
export function FloatingChat({ url }: { url: string }) {
  const box = useRef<HTMLElement>(null);
  const [isLabelDue, setLabelled] = useState(false);
  const isQuiet = useQuietTime();
  const labelled = isLabelDue && !isQuiet;
  const [place, setPlace] = useState({ moving: false, lift: 0 });

  // The label covers a part of the page, so it appears only after a while or after scrolling, and never once dismissed.
  useEffect(() => {
    if (wasDismissed()) return;
    const timer = setTimeout(() => setLabelled(true), LABEL_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => setPlace({ moving: false, lift: liftOf(box.current) });
    const settleSoon = () => {
      clearTimeout(timer);
      timer = setTimeout(settle, SCROLL_END_MS);
    };
    const onScroll = () => {
      setPlace((last) => (last.moving ? last : { ...last, moving: true }));
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!wasDismissed()) setLabelled(true);
        settle();
      }, SCROLL_END_MS);
    };
    // What the page shows also changes without a scroll: by a search, or by a bar at the bottom.
    const observer = new ResizeObserver(settleSoon);
    observer.observe(document.documentElement);
    window.addEventListener("scroll", onScroll, { passive: true });
    window.addEventListener("resize", settleSoon);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      window.removeEventListener("scroll", onScroll);
      window.removeEventListener("resize", settleSoon);
    };
  }, []);

  // The label makes the box wider.
  useEffect(() => {
    if (labelled) setPlace((last) => ({ ...last, lift: liftOf(box.current) }));
  }, [labelled]);

  return (
    <aside
      ref={box}
      aria-label="Support"
      style={{ bottom: `calc(1rem + ${place.lift}px)` }}
      className={classNames(
        "fixed right-4 z-20 flex items-center gap-2 transition-opacity duration-150 focus-within:opacity-100 sm:right-6",
        place.moving && "opacity-0 max-sm:pointer-events-none sm:opacity-100",
      )}
    >
      {labelled ? (
        <div className="appear flex items-center whitespace-nowrap rounded-full border border-line bg-card pl-4 shadow-float">
          <span className="font-medium">Chat with us</span>
          <button
            type="button"
            aria-label="Dismiss the chat label"
            onClick={() => {
              setLabelled(false);
              rememberDismissal();
            }}
            className="inline-flex size-11 items-center justify-center rounded-full text-muted hover:text-ink"
          >
            <Icon shape={X} className="size-4" />
          </button>
        </div>
      ) : null}
      <a
        href={url}
        target="_blank"
        rel="noreferrer"
        aria-label="Chat with us"
        className="inline-flex size-12 items-center justify-center rounded-full bg-strong text-on-strong shadow-float transition-colors duration-150 hover:bg-strong-hover sm:size-14"
      >
        <Icon shape={MESSAGE} className="size-6" />
      </a>
    </aside>
  );
}

/** How far the box has to be above its usual place. */
function liftOf(element: HTMLElement | null): number {
  if (element === null) return 0;
  const { left, right, height } = element.getBoundingClientRect();
  const root = getComputedStyle(document.documentElement);
  const bar = Number.parseFloat(root.getPropertyValue("--bottom-bar")) || 0;
  const bottom = window.innerHeight - Number.parseFloat(root.fontSize) - bar;
  return findLift({ left, right, top: bottom - height, bottom }, boxesToKeepClear(), MAX_LIFT_PX);
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(DISMISSED_KEY) === "1";
  } catch {
    return false;
  }
}

function rememberDismissal(): void {
  try {
    localStorage.setItem(DISMISSED_KEY, "1");
  } catch {
    // Without storage the label is dismissed for this page only.
  }
}

/** What the floating button must not cover: everything that can be pressed, and prices. */
const KEEP_CLEAR = ":is(main, footer) :is(a, button, input, summary, [data-keep-clear])";
const GAP_PX = 6;

/** A part of the window: its edges in pixels from the top left corner. */
interface Box {
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
function boxesToKeepClear(): Box[] {
  return [...document.querySelectorAll(KEEP_CLEAR)]
    .filter(isLaidOut)
    .map((element) => element.getBoundingClientRect())
    .filter(({ width, top, bottom }) => width > 0 && bottom > 0 && top < window.innerHeight);
}

/** Cards far from the window are not laid out, and measuring their parts would do it. Older browsers cannot tell. */
function isLaidOut(element: Element): boolean {
  return element.checkVisibility?.({ contentVisibilityAuto: true }) ?? true;
}
