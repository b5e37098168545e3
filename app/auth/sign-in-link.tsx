import { buttonClasses } from "../ui/class-names.ts";

/** In place of the button that opens the sign-in dialog: a browser without scripts gets a link to a page. */
export function SignInLink() {
  return (
    <noscript>
      <a href="/sign-in" className={buttonClasses({ variant: "strong", size: "small" })}>
        Sign in
      </a>
    </noscript>
  );
}
