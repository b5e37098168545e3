import { getFormProps } from "@conform-to/react";
import { Button } from "../../ui/button.tsx";
import { AuthFormErrors } from "../forms/auth-form-errors.tsx";
import { EmailField, PasswordField } from "../forms/credential-fields.tsx";
import { keepTyped, type ViewProps } from "./view-props.ts";
import { checkSignUp } from "../forms/validate-credentials.ts";
import { useAuthForm } from "../forms/use-auth-form.ts";

const NAMES = ["email", "password"] as const;

/** Email and password of an account to be made. */
export function SignUpView({ draft, keep, first }: Omit<ViewProps, "dispatch">) {
  const { fetcher, form, fields, busy } = useAuthForm({
    names: NAMES,
    defaultValue: { email: draft.email, password: draft.password },
    check: checkSignUp,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/sign-up"
      onInput={keepTyped(keep, NAMES)}
      className="flex flex-col gap-4"
    >
      <AuthFormErrors errors={form.errors} />
      <EmailField field={fields.email} first={first} autoComplete="email" />
      <PasswordField
        field={fields.password}
        hint="Password must be at least 6 characters"
        autoComplete="new-password"
      />
      <Button type="submit" variant="strong" wide busy={busy}>
        Create Account
      </Button>
    </fetcher.Form>
  );
}
