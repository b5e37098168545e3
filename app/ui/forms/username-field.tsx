/** Tells a password manager whose password a form asks for. Nobody sees it, and it is not `hidden` as a type: managers skip that. */
export function UsernameField({ email }: { email: string }) {
  return (
    <input type="text" name="username" autoComplete="username" value={email} readOnly hidden tabIndex={-1} />
  );
}
