import {
  looksLikeEmail,
  PASSWORD_MINIMUM,
  PASSWORD_MISSING,
  RESET_EMAIL_INVALID,
} from "#core/accounts/form-rules.ts";
import { DomainError } from "#core/errors.ts";
import { toErrorMessage } from "../../middleware/error-messages.ts";

/** Problems by field; a form without any may be sent. */
export type Problems = Record<string, string[]>;

interface Credentials {
  email?: string;
  password?: string;
}

const INVALID_EMAIL = toErrorMessage(new DomainError("invalid-email")).message;
const WEAK_PASSWORD = toErrorMessage(new DomainError("weak-password", { minimum: PASSWORD_MINIMUM })).message;

export function checkSignIn({ email = "", password = "" }: Credentials): Problems {
  return {
    ...(!looksLikeEmail(email) && { email: [INVALID_EMAIL] }),
    ...(password === "" && { password: [PASSWORD_MISSING] }),
  };
}

export function checkSignUp({ email = "", password = "" }: Credentials): Problems {
  return { ...checkSignIn({ email, password }), ...checkNewPassword("password", password) };
}

export function checkNewPassword(field: string, password = ""): Problems {
  if (password === "") return { [field]: [PASSWORD_MISSING] };
  return password.length < PASSWORD_MINIMUM ? { [field]: [WEAK_PASSWORD] } : {};
}

export function checkReset({ email = "" }: Credentials): Problems {
  return email.includes("@") ? {} : { email: [RESET_EMAIL_INVALID] };
}
