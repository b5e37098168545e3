import type { FieldMetadata } from "@conform-to/react";
import type { ReactNode, RefObject } from "react";
import { ADMIN_PASSWORD_MINIMUM, PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import { Banner } from "../../ui/banner.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { type Elements, t, tNodes } from "../../ui/texts/texts.ts";
import { useShared } from "../../use-shared.ts";

const SAFER_LENGTH = 8;

function NewPasswordHint() {
  const minimum = PASSWORD_MINIMUM;
  const rule = t("Password must be at least {minimum} characters", { minimum });
  return (
    <>
      <span className="block">{rule}</span>
      <span className="block">{t("{length} or more is safer.", { length: SAFER_LENGTH })}</span>
    </>
  );
}

/** The hint under the field for a new password. */
export const NEW_PASSWORD_HINT = <NewPasswordHint />;

function AdminPasswordHint() {
  return (
    <span>
      {`${t("Password must be at least {minimum} characters", { minimum: ADMIN_PASSWORD_MINIMUM })}. ${t("Not a common word or the shop’s name with digits added.")}`}
    </span>
  );
}

/** The same for an admin's password. */
export const ADMIN_PASSWORD_HINT = <AdminPasswordHint />;

interface CredentialFieldProps {
  field: FieldMetadata<string | undefined>;
  /** Receives the input, for a dialog that focuses it. */
  inputRef?: RefObject<HTMLElement | null>;
}

export function EmailField({
  field,
  inputRef,
  autoComplete,
  renderError,
}: CredentialFieldProps & {
  autoComplete: "email" | "username";
  renderError?: (error: string) => ReactNode;
}) {
  return (
    <TextField
      key={field.key}
      ref={assignTo(inputRef)}
      id={field.id}
      name={field.name}
      defaultValue={field.initialValue}
      errors={field.errors}
      renderError={renderError}
      label={t("Email")}
      type="email"
      inputMode="email"
      autoComplete={autoComplete}
      autoCapitalize="none"
      spellCheck={false}
      required
    />
  );
}

interface PasswordFieldProps extends CredentialFieldProps {
  label?: string;
  hint?: ReactNode;
  autoComplete: "current-password" | "new-password";
}

export function PasswordField({
  field,
  inputRef,
  label = t("Password"),
  hint,
  autoComplete,
}: PasswordFieldProps) {
  return (
    <PasswordInput
      key={field.key}
      ref={assignTo(inputRef)}
      id={field.id}
      name={field.name}
      defaultValue={field.initialValue}
      errors={field.errors}
      label={label}
      autoComplete={autoComplete}
      required
      {...(hint !== undefined && { hint })}
    />
  );
}

function assignTo(inputRef: RefObject<HTMLElement | null> | undefined) {
  return (element: HTMLInputElement | null) => {
    if (inputRef) inputRef.current = element;
  };
}

/** Sends along the email that the shop has asked about, so that the next press creates its account. */
export function ConfirmedEmail({ email }: { email: string | undefined }) {
  return email === undefined ? null : <input type="hidden" name="confirmedEmail" value={email} />;
}

/** The errors that belong to the whole form. Renders nothing without errors. */
export function AuthFormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return (
    <Banner tone="error" startsPage>
      {errors.map((error) => (
        <p key={error}>{error}</p>
      ))}
    </Banner>
  );
}

const LINKED = "Try signing in instead";

/** The message about an email that is in use, with its last words as a link; any other message as it is. */
export function withSignInLink(message: string, link: (text: string) => Elements): ReactNode {
  const linked = t(LINKED);
  const [before, after] = message.split(linked);
  if (after === undefined) return message;
  return (
    <>
      <span>{before}</span>
      {link(linked)}
      <span>{after}</span>
    </>
  );
}

/** After a reset was requested: the mail is on its way, or the shop cannot send any and says where help is. */
export function ResetRequested({ result }: { result: { message?: string; delivered?: boolean } }) {
  if (result.delivered !== false) return <Banner tone="success">{result.message}</Banner>;
  return (
    <Banner tone="warning">
      {tNodes("This shop can’t send email. Please {contact}.", {
        contact: <SupportLink key="contact">{t("contact support")}</SupportLink>,
      })}
    </Banner>
  );
}

/** Before a reset is requested: what the shop will do. */
export function ResetIntro() {
  const { sendsMail } = useShared();
  return (
    <p className="text-muted">
      {sendsMail
        ? t("Enter your email address and we’ll send you a link to set a new password.")
        : tNodes(
            "This shop doesn’t send email, so no link will arrive. {ask} for a link to set a new password.",
            { ask: <SupportLink key="ask">{t("Ask support")}</SupportLink> },
          )}
    </p>
  );
}

/** Plain text in a shop without a support number. */
function SupportLink({ children }: { children: ReactNode }) {
  const supportUrl = useShared().store.supportChatUrl;
  if (supportUrl === null) return <span>{children}</span>;
  return (
    <a
      href={supportUrl}
      target="_blank"
      rel="noreferrer"
      className="font-medium text-ink underline underline-offset-2"
    >
      {children}
    </a>
  );
}
