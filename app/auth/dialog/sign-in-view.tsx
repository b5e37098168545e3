import { getFormProps } from "@conform-to/react";
import type { ReactNode } from "react";
import { Button } from "../../ui/button.tsx";
import { AuthFormErrors, EmailField, PasswordField } from "../forms/credential-fields.tsx";
import { useAuthForm } from "../forms/use-auth-form.ts";
import { validateSignIn } from "../forms/validate-credentials.ts";
import { saveDraft, type ViewProps } from "./view-props.ts";

const NAMES = ["email", "password"] as const;

/** Email and password of an existing account. */
export function SignInView({ dispatch, draft, updateDraft, initialFocusRef, onFailure }: ViewProps) {
  const { fetcher, form, fields, busy } = useAuthForm({
    names: NAMES,
    defaultValue: { email: draft.email, password: draft.password },
    validate: validateSignIn,
    onFailure,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/sign-in"
      onInput={saveDraft(updateDraft, NAMES)}
      className="flex flex-col gap-4"
    >
      <AuthFormErrors errors={form.errors} />
      <EmailField field={fields.email} inputRef={initialFocusRef} autoComplete="email" />
      <PasswordField field={fields.password} autoComplete="current-password" />
      <TextButton onClick={() => dispatch({ type: "forgot-password" })}>Forgot password?</TextButton>
      <Button type="submit" variant="strong" wide busy={busy}>
        Sign In
      </Button>
      <p className="text-center text-muted">
        Don’t have an account?{" "}
        <TextButton onClick={() => dispatch({ type: "choose-create" })}>Sign up</TextButton>
      </p>
    </fetcher.Form>
  );
}

/**
 * Leads to another view of the dialog. It looks like a link in a sentence, but is a button because it has no address.
 */
function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="-my-2 inline-flex min-h-11 items-center self-start rounded-sm font-medium text-accent text-sm underline underline-offset-4 hover:decoration-2"
    >
      {children}
    </button>
  );
}
