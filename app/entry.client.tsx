import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { HydratedRouter } from "react-router/dom";
import { LANGUAGE_CODES, LANGUAGES } from "#languages/languages.ts";
import { loadCodeBeforeNavigation } from "./connection/load-code-before-navigation.ts";
import { removeOldWallet } from "./ui/optional-interfaces.ts";
import stylesheet from "./ui/styles.css?url";
import { catalogueUrl } from "./ui/texts/catalogue-url.ts";
import { addCatalogue, followLanguage } from "./ui/texts/texts.ts";

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

const language = LANGUAGE_CODES.find((one) => LANGUAGES[one].tag === document.documentElement.lang) ?? "en";
const catalogue = catalogueUrl(language);
const ATTEMPTS = 3;
const PAUSE_MS = 1_000;
/** The admin area is in English, also when it is opened from a page in another language. */
const ADMIN_AREA = /^\/admin(?:\/|$)/;

/** Without the catalogue the page goes on in English: React replaces the texts of the server. */
async function startWith(url: string, attempt = 1): Promise<void> {
  try {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url} was requested, and the response was ${response.status}`);
    addCatalogue(language, await response.json());
    followLanguage(() => (ADMIN_AREA.test(window.location.pathname) ? "en" : language));
  } catch (error) {
    if (attempt < ATTEMPTS) return void setTimeout(startWith, PAUSE_MS, url, attempt + 1);
    console.warn("the texts of the page's language could not be loaded", error);
  }
  start();
}

// From a warm cache the scripts are here before the page has been drawn. A hidden page draws no frame. In another task, because
// the modules of the routes are set after this module has run.
const isDrawn = performance.getEntriesByType("paint").length > 0;
if (catalogue !== undefined) void startWith(catalogue);
else if (isDrawn || document.visibilityState === "hidden") setTimeout(start);
else requestAnimationFrame(() => setTimeout(start));
removeOldWallet();
