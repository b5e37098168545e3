import {
  looksLikeEmail,
  PASSWORD_MINIMUM,
  PASSWORD_MISSING,
  RESET_EMAIL_INVALID,
} from "#core/accounts/rules.ts";
import { messageForCode } from "../../middleware/error-messages.ts";

/** Error messages by field; empty when the form may be sent. */
export type FieldErrors = Record<string, string[]>;

interface Credentials {
  email?: string;
  password?: string;
}

const INVALID_EMAIL = messageForCode("invalid-email");
const WEAK_PASSWORD = messageForCode("weak-password");

export function validateSignIn({ email = "", password = "" }: Credentials): FieldErrors {
  return {
    ...(!looksLikeEmail(email) && { email: [INVALID_EMAIL] }),
    ...(password === "" && { password: [PASSWORD_MISSING] }),
  };
}

export function validateSignUp({ email = "", password = "" }: Credentials): FieldErrors {
  return { ...validateSignIn({ email, password }), ...validateNewPassword("password", password) };
}

export function validateNewPassword(field: string, password = ""): FieldErrors {
  if (password === "") return { [field]: [PASSWORD_MISSING] };
  return password.length < PASSWORD_MINIMUM ? { [field]: [WEAK_PASSWORD] } : {};
}

export function validateReset({ email = "" }: Credentials): FieldErrors {
  return email.includes("@") ? {} : { email: [RESET_EMAIL_INVALID] };
}
