import { useEffect } from "react";
import { useLocation, useNavigation, useSearchParams } from "react-router";

/** The state of a list, which lives in the address: search, filters, order and page. */
export interface ListAddress {
  get(name: string): string;
  /** Changes parameters and returns to the first page. An empty value removes its parameter. */
  set(values: Readonly<Record<string, string>>): void;
  /** The address with other parameters. */
  hrefWith(values: Readonly<Record<string, string>>): string;
  /** Whether the list is loading another part. */
  isLoading: boolean;
}

/**
 * What was set last, until the router's state is rendered with it. A second change in between, such as a search whose
 * pause ends when a filter is chosen, must add to it.
 */
let requested: { pathname: string; search: string } | null = null;

export function useListAddress(): ListAddress {
  const [params, setParams] = useSearchParams();
  const { pathname, key } = useLocation();
  const navigation = useNavigation();
  const loading =
    navigation.state === "loading" && navigation.location.pathname === pathname ? navigation.location : null;
  const rendered = (loading === null ? params : new URLSearchParams(loading.search)).toString();
  useEffect(() => {
    if (requested?.search === rendered) requested = null;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry of the history, such as by the back button
  useEffect(() => {
    requested = null;
  }, [key]);

  const change = (search: string, values: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(search);
    if (!("page" in values)) next.delete("page");
    for (const [name, value] of Object.entries(values)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    return next;
  };
  return {
    get: (name) => params.get(name) ?? "",
    set: (values) => {
      const next = change(requested?.pathname === pathname ? requested.search : rendered, values);
      requested = { pathname, search: next.toString() };
      setParams(next, { replace: true, preventScrollReset: true });
    },
    hrefWith: (values) => {
      const search = change(rendered, values).toString();
      return search === "" ? pathname : `${pathname}?${search}`;
    },
    isLoading: loading !== null,
  };
}
