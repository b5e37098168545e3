import { withCaches } from "../../ui/optional-interfaces.ts";

/** The cache with the wallet of an account. Another format of the wallet needs another number. */
export const walletCacheOf = (userId: string) => `wallet-1-${userId}`;

/** The account that the open page shows as signed in; null for a visitor, and before the page has said it. */
let owner: string | null = null;

/** Tells whose page is open. What is stored of other accounts is deleted. */
export function setWalletOwner(userId: string | null): void {
  owner = userId;
  void forgetWallets(userId);
}

export const walletOwner = (): string | null => owner;

/**
 * Deletes the stored wallets in this browser. The shop has no other caches. Never rejects.
 *
 * @param exceptOf the account that is signed in; null: nobody is
 */
export async function forgetWallets(exceptOf: string | null): Promise<void> {
  const kept = exceptOf === null ? null : walletCacheOf(exceptOf);
  await withCaches(async (stored) => {
    for (const name of await stored.keys()) if (name !== kept) await stored.delete(name);
  });
}
