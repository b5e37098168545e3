import type { ListedUser } from "#core/accounts/manage-users.server.ts";

/** What screens call the way in which an account signs in. */
export const PROVIDER_NAMES: Record<ListedUser["provider"], string> = {
  email: "Email",
  google: "Google",
  admin: "Admin",
};
