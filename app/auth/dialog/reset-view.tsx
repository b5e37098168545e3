import { getFormProps } from "@conform-to/react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { AuthFormErrors } from "../forms/auth-form-errors.tsx";
import { EmailField } from "../forms/credential-fields.tsx";
import { keepTyped, type ViewProps } from "./view-props.ts";
import { checkReset } from "../forms/validate-credentials.ts";
import { useAuthForm } from "../forms/use-auth-form.ts";

const NAMES = ["email"] as const;

/** Where to send the link for a new password. */
export function ResetView({ draft, keep, first }: Omit<ViewProps, "dispatch">) {
  const { fetcher, form, fields, busy, answer } = useAuthForm({
    names: NAMES,
    defaultValue: { email: draft.email },
    check: checkReset,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/reset"
      onInput={keepTyped(keep, NAMES)}
      className="flex flex-col gap-4"
    >
      <p className="text-muted">Enter your email address and we send you a link for a new password.</p>
      <AuthFormErrors errors={form.errors} />
      {answer?.ok ? <Banner tone="success">{answer.message}</Banner> : null}
      <EmailField field={fields.email} first={first} autoComplete="email" />
      <Button type="submit" variant="strong" wide busy={busy}>
        Send Reset Link
      </Button>
    </fetcher.Form>
  );
}
