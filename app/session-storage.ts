/** What `use` returns with the storage of this tab; null where the browser offers none or the storage fails. */
export function withSessionStorage<Value>(use: (storage: Storage) => Value): Value | null {
  try {
    return use(sessionStorage);
  } catch {
    return null;
  }
}
