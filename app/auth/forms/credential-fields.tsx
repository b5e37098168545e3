import type { FieldMetadata } from "@conform-to/react";
import type { ReactNode, RefObject } from "react";
import { ADMIN_PASSWORD_MINIMUM, PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import { chatUrl } from "#core/catalog/limits.ts";
import { helpInquiry } from "../../storefront/chat-inquiry.ts";
import { Banner } from "../../ui/banner.tsx";
import { buttonClasses } from "../../ui/class-names.ts";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { type Elements, t } from "../../ui/texts/texts.ts";
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

/** After a reset was requested: the mail is on its way, or the shop cannot send any. */
export function ResetRequested({ result }: { result: { message?: string; delivered?: boolean } }) {
  return <Banner tone={result.delivered === false ? "warning" : "success"}>{result.message}</Banner>;
}

/**
 * What the shop does for a reset. Where it sends no mail, the support chat is the way on, and the strong button.
 *
 * @param isAsked a reset was requested: the answer says that no mail comes
 */
export function ResetIntro({ isAsked }: { isAsked: boolean | undefined }) {
  const { sendsMail } = useShared();
  const phone = useResetSupport();
  return (
    <>
      {isAsked && !sendsMail ? null : (
        <p className="text-muted">
          {t(
            sendsMail
              ? "Enter your email address and we’ll send you a link to set a new password."
              : "This shop doesn’t send email, so no link will arrive. Support can give you one.",
          )}
        </p>
      )}
      {phone === undefined ? null : (
        <a
          href={chatUrl(phone.number, helpInquiry("a new password"))}
          target="_blank"
          rel="noreferrer"
          className={buttonClasses({ variant: "strong" })}
        >
          {t("Chat on WhatsApp")}
        </a>
      )}
    </>
  );
}

/** Who gives the link for a new password in a shop that sends no mail; undefined in one that does, and without a number. */
export function useResetSupport() {
  const { sendsMail, store } = useShared();
  return sendsMail ? undefined : store.supportPhones[0];
}
