import type { ReactNode } from "react";
import { Form, useNavigation } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import type { AccountResult, Intent } from "./account-result.ts";

/** A form of the account page. It is an ordinary form, so that it works without scripts. */
export function AccountForm({
  intent,
  className,
  children,
}: {
  intent: Intent;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Form method="post" action="/account" preventScrollReset className={className}>
      <input type="hidden" name="intent" value={intent} />
      {children}
    </Form>
  );
}

/** Whether the form is being sent. @param fields what else its request has, of several forms with the same intent */
export function useIsSending(intent: Intent, fields: Readonly<Record<string, string>> = {}): boolean {
  const { formData } = useNavigation();
  const sent = Object.entries({ intent, ...fields });
  return formData !== undefined && sent.every(([name, value]) => formData.get(name) === value);
}

/** What became of a form. A refusal of a field is shown at its field instead. */
export function FormOutcome({ result }: { result: AccountResult | undefined }) {
  if (result === undefined || result.fields !== undefined) return null;
  return <Banner tone={result.ok ? "success" : "error"}>{result.message}</Banner>;
}
