import { type RefObject, useEffect, useId, useLayoutEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { LiveRegion } from "../ui/text.tsx";
import { t } from "../ui/texts/texts.ts";
import { useCopy } from "../ui/use-copy.ts";

/** How long a value stays on the screen. The ring in the panel runs as long (`code-ring` in styles.css). */
export const SHOWN_MS = 60_000;
const COPIED_LABEL_MS = 2000;

interface ShownValueProps {
  value: string;
  /** What it is. */
  noun: "code" | "email" | "password";
  /** Whose it is: "Server 1". */
  owner: string;
  /** True: the user asked to see the value. False: the browser refused to copy it. */
  requested: boolean;
  /** Copy has a row of its own and is as wide as the box, for a thumb. */
  wideCopy?: boolean;
  /** The page has another strong button. */
  isSecond?: boolean;
  /** Whether the box has a button that hides it. A server has one of its own. */
  canHide?: boolean;
  /** Gets the focus when the panel disappears with it. */
  returnFocusTo: RefObject<HTMLElement | null>;
  onHide: () => void;
}

/** A code or a part of a sign-in, to be copied or read. It is hidden again after a minute. */
export function ShownValue(props: ShownValueProps) {
  const {
    value,
    owner,
    requested,
    wideCopy = false,
    isSecond,
    canHide = false,
    returnFocusTo,
    onHide,
  } = props;
  const noun = t(props.noun);
  const panel = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const fieldId = useId();
  const hide = useRef(onHide);
  const { state, copy } = useCopy(value, {
    copiedMs: COPIED_LABEL_MS,
    initial: requested ? "idle" : "refused",
  });

  useEffect(() => {
    hide.current = onHide;
  });
  useEffect(() => {
    field.current?.focus({ preventScroll: true });
    // The focus alone scrolls to the value and leaves Copy below the screen.
    panel.current?.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
    const timer = setTimeout(() => hide.current(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(() => {
    const element = panel.current;
    return () => {
      if (element?.contains(document.activeElement)) returnFocusTo.current?.focus();
    };
  }, [returnFocusTo]);

  const copyOrSelect = async () => {
    if (!(await copy())) field.current?.focus();
  };
  return (
    <div
      ref={panel}
      className="mt-3 flex scroll-my-4 flex-col gap-2 rounded-control border border-line bg-paper p-3"
    >
      <label htmlFor={fieldId} className="text-muted text-xs">
        {t("The {noun} for {owner}", { noun, owner })}
      </label>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {/* A textarea wraps a code that is too long for one line, so that all of it can be read and typed. */}
        <textarea
          ref={field}
          id={fieldId}
          rows={1}
          readOnly
          value={value}
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => event.currentTarget.select()}
          className="field-sizing-content wrap-anywhere block min-h-11 min-w-[min(100%,10rem)] max-w-full grow resize-none rounded-control bg-transparent py-1.5 font-[650] font-mono text-[1.3125rem] text-ink"
        />
        <div className={wideCopy ? "contents" : "ml-auto flex items-center gap-2"}>
          <TimeRing />
          {canHide ? (
            <Button size="small" variant="quiet" onClick={onHide}>
              {t("Hide")}
            </Button>
          ) : null}
          <Button
            size={wideCopy ? "medium" : "small"}
            variant={isSecond ? "plain" : "strong"}
            wide={wideCopy}
            className="min-w-22"
            data-sound={state === "copied" ? "success" : undefined}
            onClick={() => void copyOrSelect()}
          >
            {t(state === "copied" ? "Copied!" : "Copy")}
          </Button>
        </div>
      </div>
      <p role="alert" className="text-red text-sm empty:hidden">
        {state === "refused"
          ? t("Your browser did not let us copy the {noun}. Please select it and copy it manually.", { noun })
          : null}
      </p>
      <LiveRegion
        message={state === "copied" ? t("The {noun} for {owner} was copied", { noun, owner }) : ""}
      />
    </div>
  );
}

/** The style sheet does not stop a smooth scroll that a script asks for. */
function scrollBehavior(): ScrollBehavior {
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
}

/** The time until the value is hidden. */
function TimeRing() {
  return (
    <svg viewBox="0 0 20 20" className="-rotate-90 size-5 motion-reduce:hidden" aria-hidden="true">
      <circle cx="10" cy="10" r="8" fill="none" strokeWidth="2.5" className="stroke-line" />
      <circle
        cx="10"
        cy="10"
        r="8"
        fill="none"
        strokeWidth="2.5"
        pathLength="100"
        strokeDasharray="100"
        className="animate-[code-ring_60s_linear_forwards] stroke-accent"
      />
    </svg>
  );
}
