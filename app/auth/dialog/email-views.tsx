import { getFormProps } from "@conform-to/react";
import type { FormEvent, ReactNode, RefObject } from "react";
import { Button } from "../../ui/button.tsx";
import { t } from "../../ui/texts/texts.ts";
import {
  AuthFormErrors,
  ConfirmedEmail,
  EmailField,
  NEW_PASSWORD_HINT,
  PasswordField,
  ResetIntro,
  ResetRequested,
  useResetSupport,
  withSignInLink,
} from "../forms/credential-fields.tsx";
import {
  readValues,
  useAuthForm,
  validateReset,
  validateSignIn,
  validateSignUp,
} from "../forms/use-auth-form.ts";
import type { SignInEvent } from "./sign-in-machine.ts";

/** What was typed into the dialog so far; all its views share it. */
export interface Draft {
  email: string;
  password: string;
}

export const EMPTY_DRAFT: Draft = { email: "", password: "" };

/** The props of every view of the dialog. */
export interface ViewProps {
  dispatch: (event: SignInEvent) => void;
  draft: Draft;
  updateDraft: (update: (draft: Draft) => Draft) => void;
  /** Called when the shop or Google has refused something. */
  onFailure: () => void;
  /** Receives the control that gets the focus when the view opens. */
  initialFocusRef: RefObject<HTMLElement | null>;
}

const EMAIL = ["email"] as const;
export const CREDENTIALS = ["email", "password"] as const;

/** Email and password of an existing account. */
export function EmailView({ dispatch, draft, updateDraft, initialFocusRef, onFailure }: ViewProps) {
  const { fetcher, form, fields, busy } = useAuthForm({
    names: CREDENTIALS,
    defaultValue: { email: draft.email, password: draft.password },
    validate: validateSignIn,
    onFailure,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/sign-in"
      onInput={saveDraft(updateDraft, CREDENTIALS)}
      className="flex flex-col gap-4"
    >
      <AuthFormErrors errors={form.errors} />
      <EmailField field={fields.email} inputRef={initialFocusRef} autoComplete="email" />
      <PasswordField field={fields.password} autoComplete="current-password" />
      <TextButton onClick={() => dispatch({ type: "forgot-password" })}>{t("Forgot password?")}</TextButton>
      <Button type="submit" variant="strong" wide busy={busy}>
        {t("Sign In")}
      </Button>
      <p className="text-center text-muted">
        <span>{`${t("Don’t have an account?")} `}</span>
        <TextButton onClick={() => dispatch({ type: "choose-create" })}>{t("Sign up")}</TextButton>
      </p>
    </fetcher.Form>
  );
}

/** The message about an email that is in use, with a button that signs in instead; any other message as it is. */
export function withSignInButton(message: string, onSignIn: () => void): ReactNode {
  return withSignInLink(message, (text) => (
    <button type="button" onClick={onSignIn} className="-my-3 py-3 font-medium underline underline-offset-2">
      {text}
    </button>
  ));
}

/** Email and password of a new account. */
export function SignUpView({ dispatch, draft, updateDraft, initialFocusRef, onFailure }: ViewProps) {
  const { fetcher, form, fields, busy, confirmedEmail } = useAuthForm({
    names: CREDENTIALS,
    defaultValue: { email: draft.email, password: draft.password },
    validate: validateSignUp,
    onFailure,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/sign-up"
      onInput={saveDraft(updateDraft, CREDENTIALS)}
      className="flex flex-col gap-4"
    >
      <AuthFormErrors errors={form.errors} />
      <ConfirmedEmail email={confirmedEmail} />
      <EmailField
        field={fields.email}
        inputRef={initialFocusRef}
        autoComplete="email"
        renderError={(error) => withSignInButton(error, () => dispatch({ type: "choose-email" }))}
      />
      <PasswordField field={fields.password} hint={NEW_PASSWORD_HINT} autoComplete="new-password" />
      <Button type="submit" variant="strong" wide busy={busy}>
        {t("Create Account")}
      </Button>
    </fetcher.Form>
  );
}

/** The email address that gets the link for a new password. */
export function ResetView({ draft, updateDraft, initialFocusRef, onFailure }: Omit<ViewProps, "dispatch">) {
  const support = useResetSupport();
  const { fetcher, form, fields, busy, result } = useAuthForm({
    names: EMAIL,
    defaultValue: { email: draft.email },
    validate: validateReset,
    onFailure,
  });
  return (
    <fetcher.Form
      {...getFormProps(form)}
      method="post"
      action="/auth/reset"
      onInput={saveDraft(updateDraft, EMAIL)}
      className="flex flex-col gap-4"
    >
      {result?.ok ? <ResetRequested result={result} /> : null}
      <ResetIntro isAsked={result?.ok} />
      <AuthFormErrors errors={form.errors} />
      <EmailField field={fields.email} inputRef={initialFocusRef} autoComplete="email" />
      <Button type="submit" variant={support === undefined ? "strong" : "plain"} wide busy={busy}>
        {t("Send Reset Link")}
      </Button>
    </fetcher.Form>
  );
}

/**
 * Leads to another view of the dialog. It looks like a link in a sentence, but is a button because it has no address.
 */
export function TextButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
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

/** The form's input handler: saves the named fields in the draft. */
export function saveDraft(updateDraft: ViewProps["updateDraft"], names: readonly (keyof Draft)[]) {
  return (event: FormEvent<HTMLFormElement>) => {
    const typed = readValues(new FormData(event.currentTarget), names);
    updateDraft((draft) => ({ ...draft, ...typed }));
  };
}
