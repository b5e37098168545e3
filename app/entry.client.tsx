import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadBeforeGoing } from "./connection/load-before-going.ts";
import { stopCapturingEvents } from "./pre-hydration-events.ts";

const INSTRUMENTATIONS = [loadBeforeGoing];

stopCapturingEvents();
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter instrumentations={INSTRUMENTATIONS} />
    </StrictMode>,
  );
});
