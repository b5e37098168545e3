/** Tells a password manager whose password a form asks for. Nobody sees it. Its type is not `hidden`: managers skip that. */
export function UsernameField({ email }: { email: string }) {
  return (
    <input type="text" name="username" autoComplete="username" value={email} readOnly hidden tabIndex={-1} />
  );
}
