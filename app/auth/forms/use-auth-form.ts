import { parse, type SubmissionResult, useForm } from "@conform-to/react";
import { useEffect, useMemo } from "react";
import { useFetcher } from "react-router";
import {
  looksLikeEmail,
  PASSWORD_MINIMUM,
  PASSWORD_MISSING,
  RESET_EMAIL_INVALID,
} from "#core/accounts/rules.ts";
import { messageForCode } from "../../errors/error-messages.ts";
import { translate } from "../../ui/texts/texts.ts";
import type { AuthFormResult } from "./auth-form-result.ts";

/** Every field that an account form may have. */
export interface AuthValues {
  email?: string;
  password?: string;
  newPassword?: string;
}

type FieldName = keyof AuthValues;

/**
 * An account form, bound to its action. The form is validated here first and then by the server. A refusal of the
 * server is shown under its field, or above the form. The first invalid field gets the focus.
 */
export function useAuthForm(options: {
  defaultValue?: AuthValues;
  validate: (values: AuthValues) => FieldErrors;
  /** The form's fields; errors of any other field are shown above the form. */
  names: readonly FieldName[];
  /** The result of the same form when it was sent without scripts. */
  posted?: AuthFormResult | undefined;
  /** Called after each refusal of the server. */
  onFailure?: () => void;
}) {
  const { names, validate, defaultValue = {}, posted, onFailure } = options;
  const fetcher = useFetcher<AuthFormResult>();
  useEffect(() => {
    if (fetcher.data?.ok === false) onFailure?.();
  }, [fetcher.data, onFailure]);
  const answer = fetcher.data ?? posted;
  const lastResult = useMemo(() => toSubmissionResult(answer, names), [answer, names]);
  const [form, fields] = useForm<AuthValues>({
    lastResult,
    defaultValue,
    shouldValidate: "onSubmit",
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) =>
      parse<AuthValues, string[]>(formData, { resolve: () => resolveValues(formData) }),
  });

  function resolveValues(formData: FormData) {
    const values = readValues(formData, names);
    const errors = validate(values);
    return Object.keys(errors).length > 0 ? { error: errors } : { value: values };
  }

  const busy = fetcher.state !== "idle";
  const confirmedEmail = answer?.ok === false ? answer.confirmedEmail : undefined;
  return { fetcher, form, fields, busy, confirmedEmail, result: busy ? undefined : answer };
}

/** The named fields as text; a field that is not filled in is empty. */
export function readValues(formData: FormData, names: readonly FieldName[]): AuthValues {
  const values: AuthValues = {};
  for (const name of names) {
    const value = formData.get(name);
    values[name] = typeof value === "string" ? value : "";
  }
  return values;
}

function toSubmissionResult(
  result: AuthFormResult | undefined,
  names: readonly FieldName[],
): SubmissionResult | undefined {
  if (result === undefined || result.ok) return undefined;
  const { fields = {}, message, also } = result;
  const fieldNames = Object.keys(fields);
  const allKnown = fieldNames.length > 0 && fieldNames.every((field) => names.some((name) => name === field));
  return {
    status: "error",
    error: allKnown ? fields : { "": also === undefined ? [message] : [message, also] },
  };
}

/** Error messages by field; empty when the form may be sent. */
type FieldErrors = Record<string, string[]>;

interface Credentials {
  email?: string;
  password?: string;
}

export function validateSignIn({ email = "", password = "" }: Credentials): FieldErrors {
  return {
    ...(!looksLikeEmail(email) && { email: [messageForCode("invalid-email")] }),
    ...(password === "" && { password: [translate(PASSWORD_MISSING)] }),
  };
}

export function validateSignUp({ email = "", password = "" }: Credentials): FieldErrors {
  return { ...validateSignIn({ email, password }), ...validateNewPassword("password", password) };
}

export function validateNewPassword(field: string, password = ""): FieldErrors {
  if (password === "") return { [field]: [translate(PASSWORD_MISSING)] };
  return password.length < PASSWORD_MINIMUM ? { [field]: [messageForCode("weak-password")] } : {};
}

export function validateReset({ email = "" }: Credentials): FieldErrors {
  return email.includes("@") ? {} : { email: [translate(RESET_EMAIL_INVALID)] };
}
