import { getFormProps } from "@conform-to/react";
import { Button } from "../../ui/button.tsx";
import { AuthFormErrors, EmailField } from "../forms/credential-fields.tsx";
import { ResetIntro, ResetRequested } from "../forms/reset-requested.tsx";
import { useAuthForm } from "../forms/use-auth-form.ts";
import { validateReset } from "../forms/validate-credentials.ts";
import { saveDraft, type ViewProps } from "./view-props.ts";

const NAMES = ["email"] as const;

/** The email address that gets the link for a new password. */
export function ResetView({ draft, updateDraft, initialFocusRef, onFailure }: Omit<ViewProps, "dispatch">) {
  const { fetcher, form, fields, busy, result } = useAuthForm({
    names: NAMES,
    defaultValue: { email: draft.email },
    validate: validateReset,
    onFailure,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/reset"
      onInput={saveDraft(updateDraft, NAMES)}
      className="flex flex-col gap-4"
    >
      <ResetIntro />
      <AuthFormErrors errors={form.errors} />
      {result?.ok ? <ResetRequested result={result} /> : null}
      <EmailField field={fields.email} inputRef={initialFocusRef} autoComplete="email" />
      <Button type="submit" variant="strong" wide busy={busy}>
        Send Reset Link
      </Button>
    </fetcher.Form>
  );
}
