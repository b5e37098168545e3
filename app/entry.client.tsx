import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadBeforeGoing } from "./connection/load-before-going.ts";
import { stopKeepingPresses } from "./early-presses.ts";

const INSTRUMENTATIONS = [loadBeforeGoing];

stopKeepingPresses();
startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter instrumentations={INSTRUMENTATIONS} />
    </StrictMode>,
  );
});
