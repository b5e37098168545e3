import { useEffect } from "react";
import { useLocation, useNavigation, useSearchParams } from "react-router";

/** The state of a list, which lives in the address: search, filters, order and page. */
export interface ListAddress {
  get(name: string): string;
  /** Changes parameters and returns to the first page. An empty value removes its parameter. */
  set(values: Readonly<Record<string, string>>): void;
  /** The address with other parameters. */
  hrefWith(values: Readonly<Record<string, string>>): string;
  /** The address of a dialog over the list as it is. */
  dialogHref(name: string, rowId: string | null): string;
  /** Whether the history has the list as it is: no search is about to change it. */
  isSettled(): boolean;
  /** The address of the list as it is, without the dialog over it. */
  hrefWithoutDialog: string;
  /** Whether the list is loading another part. */
  isLoading: boolean;
}

/** The parameters of the address that name the dialog over a list, and its row. */
export const DIALOG_PARAMETERS = { name: "dialog", row: "row" } as const;

/** In the state of a history entry of a dialog: the entry before it is the list. */
export const OVER_LIST = "isOverList";

/** In the state of a history entry in place of a closed dialog: the entry before it is the same list. */
export const SAME_LIST = "isSameList";

/**
 * What was set last, until the router's state is rendered with it. A second change in between, such as a search whose
 * pause ends when a filter is chosen, must add to it.
 */
let requested: { pathname: string; search: string } | null = null;

export function useListAddress(): ListAddress {
  const [params, setParams] = useSearchParams();
  const { pathname, key, state } = useLocation();
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

  const latestSearch = () => (requested?.pathname === pathname ? requested.search : rendered);
  const hrefOf = (search: string) => (search === "" ? pathname : `${pathname}?${search}`);
  const change = (search: string, values: Readonly<Record<string, string>>) => {
    const next = new URLSearchParams(search);
    for (const parameter of Object.values(DIALOG_PARAMETERS)) next.delete(parameter);
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
      const next = change(latestSearch(), values);
      requested = { pathname, search: next.toString() };
      // What the entry is in the history stays.
      setParams(next, { replace: true, state, preventScrollReset: true });
    },
    hrefWith: (values) => hrefOf(change(rendered, values).toString()),
    dialogHref: (name, rowId) => {
      const search = latestSearch();
      const next = change(search, { page: new URLSearchParams(search).get("page") ?? "" });
      next.set(DIALOG_PARAMETERS.name, name);
      if (rowId !== null) next.set(DIALOG_PARAMETERS.row, rowId);
      return hrefOf(next.toString());
    },
    isSettled: () => latestSearch() === params.toString(),
    hrefWithoutDialog: hrefOf(change(rendered, { page: params.get("page") ?? "" }).toString()),
    isLoading: loading !== null,
  };
}
