import { type MouseEvent, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from "react";
import { isHydrated } from "./hydration.ts";

/** The parts that wait for their turn, in the order of the page. */
const waiting: (() => void)[] = [];

interface Turn {
  promise: Promise<void>;
  hasCome: boolean;
}

interface HydratedLaterProps {
  as: "li" | "footer";
  className?: string;
  /** One element. */
  children: ReactNode;
}

/**
 * A part of the page that is hydrated in a task of its own, after the page. A phone takes a fifth of a second for everything, and
 * answers nothing meanwhile. A button that is pressed before that is pressed again afterwards.
 */
export function HydratedLater({ as: Part, className, children }: HydratedLaterProps) {
  const [turn] = useState(takeTurn);
  const isReady = useRef(turn === null);
  const pressed = useRef<HTMLElement | null>(null);
  const onClick = ({ target }: MouseEvent) => {
    if (!isReady.current && target instanceof Element) pressed.current = target.closest("button");
  };
  const onReady = () => {
    isReady.current = true;
    pressed.current?.click();
    pressed.current = null;
  };
  return (
    <Part className={className} onClick={onClick}>
      <Suspense fallback={null}>
        <AfterTurn turn={turn} onReady={onReady}>
          {children}
        </AfterTurn>
      </Suspense>
    </Part>
  );
}

function AfterTurn({
  turn,
  onReady,
  children,
}: {
  turn: Turn | null;
  onReady: () => void;
  children: ReactNode;
}) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the part handles its events
  useLayoutEffect(onReady, []);
  if (turn && !turn.hasCome) throw turn.promise;
  return children;
}

/** @returns null when there is nothing to wait for: on the server, and in a page that has been hydrated */
function takeTurn(): Turn | null {
  if (typeof document === "undefined" || isHydrated()) return null;
  const turn: Turn = { promise: Promise.resolve(), hasCome: false };
  turn.promise = new Promise((resolve) => {
    waiting.push(() => {
      turn.hasCome = true;
      resolve();
    });
    if (waiting.length === 1) setTimeout(nextTurn);
  });
  return turn;
}

function nextTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setTimeout(nextTurn);
}
