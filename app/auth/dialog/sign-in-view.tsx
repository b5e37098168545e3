import { getFormProps } from "@conform-to/react";
import { Button } from "../../ui/button.tsx";
import { AuthFormErrors } from "../forms/auth-form-errors.tsx";
import { EmailField, PasswordField } from "../forms/credential-fields.tsx";
import { keepTyped, type ViewProps } from "./view-props.ts";
import { checkSignIn } from "../forms/validate-credentials.ts";
import { useAuthForm } from "../forms/use-auth-form.ts";
import { WordLink } from "./word-link.tsx";

const NAMES = ["email", "password"] as const;

/** Email and password of an account one has. */
export function SignInView({ dispatch, draft, keep, first }: ViewProps) {
  const { fetcher, form, fields, busy } = useAuthForm({
    names: NAMES,
    defaultValue: { email: draft.email, password: draft.password },
    check: checkSignIn,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/sign-in"
      onInput={keepTyped(keep, NAMES)}
      className="flex flex-col gap-4"
    >
      <AuthFormErrors errors={form.errors} />
      <EmailField field={fields.email} first={first} autoComplete="email" />
      <PasswordField field={fields.password} autoComplete="current-password" />
      <WordLink onClick={() => dispatch({ type: "forgot-password" })}>Forgot password?</WordLink>
      <Button type="submit" variant="strong" wide busy={busy}>
        Sign In
      </Button>
      <p className="text-center text-muted">
        Don't have an account?{" "}
        <WordLink onClick={() => dispatch({ type: "choose-create" })}>Sign up</WordLink>
      </p>
    </fetcher.Form>
  );
}
