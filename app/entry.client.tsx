import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadCodeBeforeNavigation } from "./connection/load-code-before-navigation.ts";
import { stopCapturingEvents } from "./pre-hydration-events.ts";

const INSTRUMENTATIONS = [loadCodeBeforeNavigation];

stopCapturingEvents();
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter instrumentations={INSTRUMENTATIONS} />
    </StrictMode>,
  );
});
