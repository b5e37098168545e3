export const CHAT_ASSISTANT_SLUG = "chatgpt";
export const HUMANIZER_SLUG = "aihumanizer";

/** Where a tool's page lives. The humanizer's has a short address of its own. */
export function pagePath(slug: string): string {
  return slug === HUMANIZER_SLUG ? `/${slug}` : `/tools/${encodeURIComponent(slug)}`;
}
