import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadCodeBeforeNavigation } from "./connection/load-code-before-navigation.ts";

const INSTRUMENTATIONS = [loadCodeBeforeNavigation];

function start(): void {
  // A transition is rendered in slices, so the page stays responsive meanwhile.
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <HydratedRouter instrumentations={INSTRUMENTATIONS} />
      </StrictMode>,
    );
  });
}

// From a warm cache the scripts are here before the page has been drawn. A hidden page draws no frame. In another task, because
// the modules of the routes are set after this module has run.
if (document.visibilityState === "hidden") setTimeout(start);
else requestAnimationFrame(() => setTimeout(start));
