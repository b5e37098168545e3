/** What decides whether a signed-in account may use a tool page. */
export interface PageAccessFacts {
  isAdmin: boolean;
  toolIsFree: boolean;
  toolIsInCatalogue: boolean;
  /** The latest end of the active passes that open the page; null without one. */
  passExpiresAt: Date | null;
}

/** `expiresAt` is null for access without an end: free tools and admins. */
export type PageAccess = { access: "granted"; expiresAt: Date | null } | { access: "required" };

/** Admins may use every page; every account the page of a free tool in the catalogue; others need an active pass. */
export function decidePageAccess(facts: PageAccessFacts): PageAccess {
  const needsNoPass = facts.isAdmin || (facts.toolIsFree && facts.toolIsInCatalogue);
  if (needsNoPass) return { access: "granted", expiresAt: null };
  if (facts.passExpiresAt !== null) return { access: "granted", expiresAt: facts.passExpiresAt };
  return { access: "required" };
}
