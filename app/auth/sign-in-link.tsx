import { NoScriptsLink } from "../ui/button.tsx";

/** In place of the button that opens the sign-in dialog: a browser without scripts gets a link to a page. */
export function SignInLink() {
  return (
    <NoScriptsLink href="/sign-in" variant="strong" size="small">
      Sign in
    </NoScriptsLink>
  );
}
