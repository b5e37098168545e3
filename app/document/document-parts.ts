import { createContext } from "react";
import type { Elements } from "../ui/texts/texts.ts";

/**
 * What only the server adds to the document. The browser renders none of it: React hydrates a head and a body that contain more
 * elements than it renders.
 */
export interface DocumentParts {
  head: Elements;
  bodyEnd: Elements;
}

export const DocumentPartsContext = createContext<DocumentParts>({ head: null, bodyEnd: null });
