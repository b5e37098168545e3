/** What a tool's page needs to know of one person at one moment. */
export interface PageAccessFacts {
  isAdmin: boolean;
  /** Free tools open for everyone who is signed in, while they are in the catalogue. */
  toolIsFree: boolean;
  toolIsInCatalogue: boolean;
  /** End of the last running pass that opens the page; null without one. */
  passEndsAt: Date | null;
}

/** Granted until `expiresAt`; null: without an end, for free tools and admins. */
export type PageAccess = { access: "granted"; expiresAt: Date | null } | { access: "required" };

/** Who may use a tool's page: one with a running pass, anyone while it is free, and the admin always. */
export function decidePageAccess(facts: PageAccessFacts): PageAccess {
  const opensToAll = facts.isAdmin || (facts.toolIsFree && facts.toolIsInCatalogue);
  if (opensToAll) return { access: "granted", expiresAt: null };
  if (facts.passEndsAt !== null) return { access: "granted", expiresAt: facts.passEndsAt };
  return { access: "required" };
}
