/** What links to the public pages may carry for the browser: the server renders the same page with it and without it. */
const LINK_PARAM = /^(?:coupon|ref|fbclid|gclid|utm_\w+)$/i;

/** The query of an address without these parameters: "", or with its question mark. */
export function withoutLinkParams(search: string): string {
  const params = new URLSearchParams(search);
  const names = [...params.keys()].filter((name) => LINK_PARAM.test(name));
  if (names.length === 0) return search;
  for (const name of names) params.delete(name);
  return params.size === 0 ? "" : `?${params}`;
}
