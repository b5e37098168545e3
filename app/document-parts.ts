import { createContext, type ReactNode } from "react";

/**
 * What the server alone adds to the document. The browser renders none of it: React takes a head and a body over with
 * more in them than the page renders.
 */
export interface DocumentParts {
  head: ReactNode;
  bodyEnd: ReactNode;
}

export const DocumentPartsContext = createContext<DocumentParts>({ head: null, bodyEnd: null });
