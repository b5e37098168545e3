import { type MouseEvent, type ReactNode, Suspense, useLayoutEffect, useRef, useState } from "react";
import { type Turn, takeTurn, waitForTurn } from "./hydration.ts";

interface HydratedLaterProps {
  as: "li" | "footer";
  className?: string;
  /** One element. */
  children: ReactNode;
}

/**
 * A part of the page that is hydrated in a task of its own, after the page. Hydrating the whole page in one task takes a
 * slow phone 0.2 s, in which it reacts to nothing. A button that is pressed before its turn is clicked again after it.
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

interface AfterTurnProps {
  turn: Turn | null;
  onReady: () => void;
  children: ReactNode;
}

function AfterTurn({ turn, ...ready }: AfterTurnProps) {
  waitForTurn(turn);
  return <Ready {...ready} />;
}

function Ready({ onReady, children }: Omit<AfterTurnProps, "turn">) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the part handles its events
  useLayoutEffect(onReady, []);
  return children;
}
