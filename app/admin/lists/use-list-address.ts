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

export function useListAddress(): ListAddress {
  const [params, setParams] = useSearchParams();
  const { pathname } = useLocation();
  const navigation = useNavigation();
  const loading =
    navigation.state === "loading" && navigation.location.pathname === pathname ? navigation.location : null;
  const change = (values: Readonly<Record<string, string>>) => {
    // A change while an earlier one still loads adds to it.
    const next = new URLSearchParams(loading === null ? params : loading.search);
    if (!("page" in values)) next.delete("page");
    for (const [name, value] of Object.entries(values)) {
      if (value === "") next.delete(name);
      else next.set(name, value);
    }
    return next;
  };
  return {
    get: (name) => params.get(name) ?? "",
    set: (values) => setParams(change(values), { replace: true, preventScrollReset: true }),
    hrefWith: (values) => {
      const search = change(values).toString();
      return search === "" ? pathname : `${pathname}?${search}`;
    },
    isLoading: loading !== null,
  };
}
