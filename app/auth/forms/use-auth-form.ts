import { parse, type SubmissionResult, useForm } from "@conform-to/react";
import { useMemo } from "react";
import { useFetcher } from "react-router";
import type { AuthAnswer } from "./auth-form-result.ts";
import type { Problems } from "./validate-credentials.ts";

/** Every field a form of this folder may have. */
export interface AuthValues {
  email?: string;
  password?: string;
  newPassword?: string;
}

type Name = keyof AuthValues;

/**
 * A form of this folder, bound to its action: checked here first, then by the server, whose refusal stands under the
 * field it belongs to, or above the form. The first bad field gets the focus.
 */
export function useAuthForm(options: {
  defaultValue?: AuthValues;
  check: (values: AuthValues) => Problems;
  /** The form's fields; a refusal about anything else stands above the form. */
  names: readonly Name[];
}) {
  const { names, check, defaultValue = {} } = options;
  const fetcher = useFetcher<AuthAnswer>();
  const lastResult = useMemo(() => resultOf(fetcher.data, names), [fetcher.data, names]);
  const [form, fields] = useForm<AuthValues>({
    lastResult,
    defaultValue,
    shouldValidate: "onSubmit",
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => parse<AuthValues, string[]>(formData, { resolve: () => judge(formData) }),
  });

  function judge(formData: FormData) {
    const values = valuesOf(formData, names);
    const problems = check(values);
    return Object.keys(problems).length > 0 ? { error: problems } : { value: values };
  }

  const busy = fetcher.state !== "idle";
  return { fetcher, form, fields, busy, answer: busy ? undefined : fetcher.data };
}

/** The named fields as text; a field that is not filled in is empty. */
export function valuesOf(formData: FormData, names: readonly Name[]): AuthValues {
  const values: AuthValues = {};
  for (const name of names) {
    const value = formData.get(name);
    values[name] = typeof value === "string" ? value : "";
  }
  return values;
}

function resultOf(answer: AuthAnswer | undefined, names: readonly Name[]): SubmissionResult | undefined {
  if (answer === undefined || answer.ok) return undefined;
  const { fields = {}, message } = answer;
  const known = Object.keys(fields);
  const error =
    known.length > 0 && known.every((name) => names.some((one) => one === name)) ? fields : { "": [message] };
  return { status: "error", error };
}
