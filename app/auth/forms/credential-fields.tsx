import type { FieldMetadata } from "@conform-to/react";
import type { ReactNode, RefObject } from "react";
import { PasswordInput } from "../../ui/password-input.tsx";
import { TextField } from "../../ui/text-field.tsx";

interface CredentialFieldProps {
  field: FieldMetadata<string | undefined>;
  first?: RefObject<HTMLElement | null>;
}

export function EmailField({
  field,
  first,
  autoComplete,
}: CredentialFieldProps & { autoComplete: "email" | "username" }) {
  return (
    <TextField
      key={field.key}
      ref={refTo(first)}
      id={field.id}
      name={field.name}
      defaultValue={field.initialValue}
      errors={field.errors}
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

export function PasswordField({ field, first, label = "Password", hint, autoComplete }: PasswordFieldProps) {
  return (
    <PasswordInput
      key={field.key}
      ref={refTo(first)}
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

function refTo(first: RefObject<HTMLElement | null> | undefined) {
  return (element: HTMLInputElement | null) => {
    if (first) first.current = element;
  };
}
