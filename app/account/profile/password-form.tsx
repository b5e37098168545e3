import { useEffect, useRef } from "react";
import { NEW_PASSWORD_HINT } from "../../auth/forms/credential-fields.tsx";
import { Button } from "../../ui/button.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { useShared } from "../../use-shared.ts";
import { AccountForm, FormOutcome, useIsSending } from "./account-form.tsx";
import type { AccountResult } from "./account-result.ts";

export function PasswordForm({ result }: { result: AccountResult | undefined }) {
  const { user } = useShared();
  const busy = useIsSending("password");
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (result?.ok) fields.current?.closest("form")?.reset();
    else fields.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [result]);
  return (
    <AccountForm intent="password">
      <div ref={fields} className="flex flex-col gap-4">
        <FormOutcome result={result} />
        {/* Tells a password manager whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" defaultValue={user?.email ?? ""} />
        <PasswordInput
          id="current-password"
          name="password"
          label="Current password"
          autoComplete="current-password"
          errors={result?.fields?.password}
          required
        />
        <PasswordInput
          id="new-password"
          name="newPassword"
          label="New password"
          hint={NEW_PASSWORD_HINT}
          autoComplete="new-password"
          errors={result?.fields?.newPassword}
          required
        />
        <Button type="submit" busy={busy} className="self-start">
          Change Password
        </Button>
      </div>
    </AccountForm>
  );
}
