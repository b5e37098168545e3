import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { loadCodeBeforeNavigation } from "./connection/load-code-before-navigation.ts";
import stylesheet from "./ui/styles.css?url";

const INSTRUMENTATIONS = [loadCodeBeforeNavigation];

// A page with inline styles needs no more to be complete. What opens over it does, and comes later than this.
if (!document.querySelector('link[rel="stylesheet"]'))
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "stylesheet", href: stylesheet }),
  );

/** Not in a transition: slices of a transition wait for each other, and the buttons of a slow phone would answer 0.3 s later. */
function start(): void {
  hydrateRoot(
    document,
    <StrictMode>
      <HydratedRouter instrumentations={INSTRUMENTATIONS} />
    </StrictMode>,
  );
}

// From a warm cache the scripts are here before the page has been drawn. A hidden page draws no frame. In another task, because
// the modules of the routes are set after this module has run.
const isDrawn = performance.getEntriesByType("paint").length > 0;
if (isDrawn || document.visibilityState === "hidden") setTimeout(start);
else requestAnimationFrame(() => setTimeout(start));
