import { createContext, type ReactNode } from "react";

/**
 * What only the server adds to the document. The browser renders none of it: React hydrates a head and a body that contain more
 * elements than it renders.
 */
export interface DocumentParts {
  head: ReactNode;
  bodyEnd: ReactNode;
}

export const DocumentPartsContext = createContext<DocumentParts>({ head: null, bodyEnd: null });
