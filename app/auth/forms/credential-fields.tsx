import type { FieldMetadata } from "@conform-to/react";
import type { ReactNode, RefObject } from "react";
import { PASSWORD_MINIMUM } from "#core/accounts/rules.ts";
import { Banner } from "../../ui/banner.tsx";
import { PasswordInput } from "../../ui/forms/password-input.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";

const SAFER_LENGTH = 8;

/** The hint under the field for a new password. */
export const NEW_PASSWORD_HINT = (
  <>
    <span>{`Password must be at least ${PASSWORD_MINIMUM} characters`}</span>
    <span>{`. ${SAFER_LENGTH} or more is safer.`}</span>
  </>
);

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
      label="Email"
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
  label = "Password",
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

/** The errors that belong to the whole form. Renders nothing without errors. */
export function AuthFormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return <Banner tone="error">{errors.join(" ")}</Banner>;
}
