let hydrated = false;

/** Whether the page has taken over what the server rendered. False on the server. */
export const isHydrated = (): boolean => hydrated;

/** A layout effect of the document. */
export function markHydrated(): void {
  hydrated = true;
}
