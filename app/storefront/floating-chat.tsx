import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useQuietTime } from "../checkout/quiet-time.ts";
import { withStorage } from "../ui/optional-interfaces.ts";
import { t } from "../ui/texts/texts.ts";
import { Icon, MESSAGE, X } from "./icons.tsx";

const DISMISSED_KEY = "chat-label-dismissed";
const LABEL_AFTER_MS = 15_000;
/** The places of the label, in pixels below the middle of the tab. */
const PLACES = [0, -52, 52, -104, 104];

/**
 * A tab at the edge of the window that opens the support chat. It is as narrow as the margin of the page, so that it covers
 * nothing. Its label covers a part of the page: it appears when the visitor has not scrolled for a while, goes with the next
 * scroll, covers no control and no price, and can be dismissed permanently.
 */
export function FloatingChat({ url }: { url: string }) {
  const [isLabelDue, setLabelled] = useState(false);
  const isQuiet = useQuietTime();
  const labelled = isLabelDue && !isQuiet;
  const label = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const { current } = label;
    if (!labelled || current === null) return;
    // Before it is painted. Without a free place it waits for the next pause.
    const place = PLACES.find((offset) => {
      current.style.translate = `0 ${offset}px`;
      return !coversControlOrPrice(current);
    });
    if (place === undefined) setLabelled(false);
  }, [labelled]);

  useEffect(() => {
    if (wasDismissed()) return;
    const show = () => setLabelled(!wasDismissed());
    let timer = setTimeout(show, LABEL_AFTER_MS);
    const onScroll = () => {
      setLabelled(false);
      clearTimeout(timer);
      timer = setTimeout(show, LABEL_AFTER_MS);
    };
    window.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", onScroll);
    };
  }, []);

  return (
    <aside aria-label={t("Support")} className="fixed top-[62%] right-0 z-20 flex items-center gap-2">
      {labelled ? (
        <div
          ref={label}
          className="appear flex items-center whitespace-nowrap rounded-full border border-line bg-card pl-4 shadow-float"
        >
          <span className="font-medium">{t("Chat with us")}</span>
          <button
            type="button"
            aria-label={t("Dismiss the chat label")}
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
        aria-label={t("Chat with us")}
        className="inline-flex h-24 w-[min(1rem,16px)] items-center justify-center rounded-l-control border border-field border-r-0 bg-card shadow-float transition-colors duration-150 hover:border-ink sm:h-18 sm:w-[min(1.5rem,24px)] min-[80rem]:w-[min(2.5rem,40px)]"
      >
        <Icon shape={MESSAGE} className="size-3.5 sm:size-4 min-[80rem]:size-5" />
      </a>
    </aside>
  );
}

/** Whether a control or a price of the page is below the element. */
function coversControlOrPrice(element: HTMLElement): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  return [...document.querySelectorAll("main :is(a, button, input, select, summary, [translate=no])")].some(
    (control) => {
      const box = control.getBoundingClientRect();
      return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    },
  );
}

function wasDismissed(): boolean {
  return withStorage("local", (storage) => storage.getItem(DISMISSED_KEY)) === "1";
}

function rememberDismissal(): void {
  // Without storage the label is dismissed for this page only.
  withStorage("local", (storage) => storage.setItem(DISMISSED_KEY, "1"));
}
