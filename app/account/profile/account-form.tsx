import type { ReactNode } from "react";
import { Form, useNavigation } from "react-router";
import { Banner } from "../../ui/banner.tsx";
import { NETWORK_ERROR_MESSAGE } from "../../ui/shop-connection.tsx";
import { type Elements, t } from "../../ui/texts/texts.ts";

/** A form of the account page. It is an ordinary form, so that it works without scripts. */
export function AccountForm({
  intent,
  action = "/account",
  className,
  children,
}: {
  intent: Intent;
  /** The address that shows the result, in a browser without scripts. */
  action?: string;
  className?: string;
  children: Elements;
}) {
  return (
    <Form method="post" action={action} preventScrollReset className={className}>
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
  return (
    <Banner tone={result.ok ? "success" : "error"} startsPage>
      {result.message}
    </Banner>
  );
}

/** The forms of the account page. */
export const INTENTS = [
  "name",
  "password",
  "reset",
  "end-session",
  "end-others",
  "reminders",
  "delete",
] as const;

export type Intent = (typeof INTENTS)[number];

/** What the action of the account page returns to the form that was sent. */
export interface AccountResult {
  intent: Intent;
  ok: boolean;
  message: string;
  /** The messages of a refusal, by field. */
  fields?: Record<string, string[]>;
  /** For a mail: false when the shop has no mail server. */
  delivered?: boolean;
}

/** The page that the owner of an account sees after the deletion. */
export const DELETED_PATH = "/account/deleted";

export const CHANGE_FAILED = "Your change was not saved. Please try again.";

export function isIntent(value: unknown): value is Intent {
  return INTENTS.some((intent) => intent === value);
}

/** The result of a form whose request got no answer, or failed without a reason. */
export function failedResult(intent: Intent, error: unknown): AccountResult {
  // fetch throws a TypeError when there is no response.
  return {
    intent,
    ok: false,
    message: t(error instanceof TypeError ? NETWORK_ERROR_MESSAGE : CHANGE_FAILED),
  };
}

/** The result of the last sent form, for one of the forms of the page. */
export function resultOf(result: AccountResult | undefined, intent: Intent): AccountResult | undefined {
  return result?.intent === intent ? result : undefined;
}

/** One part of the account page: what it is about, and beside it, or below it on a phone, its content. */
export function AccountSection(props: { id: string; title: string; about: ReactNode; children: Elements }) {
  const { id, title, about, children } = props;
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="grid scroll-mt-4 gap-x-12 gap-y-4 border-line border-t py-8 lg:grid-cols-[18rem_minmax(0,1fr)]"
    >
      <div className="flex flex-col gap-1">
        <h2 id={`${id}-title`} className="text-lg">
          {title}
        </h2>
        <div className="max-w-prose text-pretty text-muted">{about}</div>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
