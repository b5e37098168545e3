import { getFormProps } from "@conform-to/react";
import { Button } from "../../ui/button.tsx";
import { AuthFormErrors, EmailField, NEW_PASSWORD_HINT, PasswordField } from "../forms/credential-fields.tsx";
import { withSignInLink } from "../forms/sign-in-instead.tsx";
import { useAuthForm } from "../forms/use-auth-form.ts";
import { validateSignUp } from "../forms/validate-credentials.ts";
import { saveDraft, type ViewProps } from "./view-props.ts";

const NAMES = ["email", "password"] as const;

/** Email and password of a new account. */
export function SignUpView({ dispatch, draft, updateDraft, initialFocusRef, onFailure }: ViewProps) {
  const { fetcher, form, fields, busy } = useAuthForm({
    names: NAMES,
    defaultValue: { email: draft.email, password: draft.password },
    validate: validateSignUp,
    onFailure,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/sign-up"
      onInput={saveDraft(updateDraft, NAMES)}
      className="flex flex-col gap-4"
    >
      <AuthFormErrors errors={form.errors} />
      <EmailField
        field={fields.email}
        inputRef={initialFocusRef}
        autoComplete="email"
        renderError={(error) =>
          withSignInLink(error, (text) => (
            <button
              type="button"
              onClick={() => dispatch({ type: "choose-email" })}
              className="-my-3 py-3 font-medium underline underline-offset-2"
            >
              {text}
            </button>
          ))
        }
      />
      <PasswordField field={fields.password} hint={NEW_PASSWORD_HINT} autoComplete="new-password" />
      <Button type="submit" variant="strong" wide busy={busy}>
        Create Account
      </Button>
    </fetcher.Form>
  );
}
