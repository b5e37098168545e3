export const HUMANIZER_SLUG = "aihumanizer";

/** The path of a tool page. The humanizer has a short path of its own. */
export function pagePath(slug: string): string {
  return slug === HUMANIZER_SLUG ? `/${slug}` : `/tools/${encodeURIComponent(slug)}`;
}

/** The state of a link that shows the code on the page that it leads to. */
export const SHOW_CODE = "show-code";
