import { buttonClasses } from "../ui/class-names.ts";

/** Beside the button that opens the sign-in dialog: a browser without scripts gets a link to a page instead. */
export function SignInLink() {
  return (
    <noscript>
      <a href="/sign-in" className={buttonClasses({ size: "small" })}>
        Sign in
      </a>
    </noscript>
  );
}
