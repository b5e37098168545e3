/** What links to the public pages may carry for the browser: the server renders the same page with it and without it. */
const LINK_PARAM = /^(?:coupon|ref|fbclid|gclid|utm_\w+)$/i;

/** No link is longer. What is longer is not worth a stored page, nor the time that it takes. */
const LONGEST_QUERY = 2_000;

/** The query of an address without these parameters: "", or with its question mark. A very long one stays as it is. */
export function withoutLinkParams(search: string): string {
  if (search.length > LONGEST_QUERY) return search;
  const params = new URLSearchParams(search);
  const kept = [...params].filter(([name]) => !LINK_PARAM.test(name));
  if (kept.length === params.size) return search;
  return kept.length === 0 ? "" : `?${new URLSearchParams(kept)}`;
}
