import { createContext } from "react";
import type { CatalogueCard } from "#core/catalog/list-active-tools.server.ts";

/**
 * Finds the HTML of a tool's card, as it is for a reader without a pass for the tool. On the server the cards are rendered
 * once for all requests; in the browser there is no HTML, and the page renders them.
 */
export const RenderedCards = createContext<(tool: CatalogueCard) => string | undefined>(() => undefined);
