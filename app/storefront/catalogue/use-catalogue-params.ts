import { useEffect, useState } from "react";
import { useLocation } from "react-router";
import { type CatalogueParams, catalogueAddress, readCatalogueParams } from "./catalogue-params.ts";

/** Browsers refuse an address that changes with each key. */
const ADDRESS_DELAY_MS = 400;

interface CatalogueChoice extends CatalogueParams {
  setQuery: (query: string) => void;
}

/**
 * The search and the category of the address. What is typed applies at once and is written to the address soon after,
 * without a request; a navigation, also by the back button, replaces it.
 */
export function useCatalogueParams(): CatalogueChoice {
  const { search, key } = useLocation();
  const fromAddress = readCatalogueParams(search);
  const [query, setQuery] = useState(fromAddress.query);
  // The key, because the router does not know the address that the search has written: a link to the page without a
  // search, such as the logo, leads to the address that the router still has.
  const [seen, setSeen] = useState(key);
  if (seen !== key) {
    setSeen(key);
    setQuery(fromAddress.query);
  }
  const { category } = fromAddress;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation to the same page may have written its address
  useEffect(() => {
    const timer = setTimeout(() => {
      const { pathname, hash } = window.location;
      const address = catalogueAddress({ query, category });
      if (pathname !== "/" || catalogueAddress(readCatalogueParams(window.location.search)) === address)
        return;
      // Not a navigation of the router, which would load the catalogue again.
      window.history.replaceState(window.history.state, "", `${address}${hash}`);
    }, ADDRESS_DELAY_MS);
    return () => clearTimeout(timer);
  }, [query, category, key]);

  return { query, category, setQuery };
}
