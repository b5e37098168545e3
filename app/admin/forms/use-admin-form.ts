import { type DefaultValue, type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { useEffect, useMemo, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import type { z } from "zod";
import { type AdminResult, PASSWORD_NEEDED } from "./admin-result.ts";
import { showOutdatedBanner } from "./outdated-banner.tsx";
import { useAdminAction } from "./use-admin-action.ts";

/**
 * A form of the admin, bound to an operation of the page's action. It is validated with the schema of the operation
 * in the browser, and again by the server. A refusal is shown under its field, or above the form (`form.errors`).
 *
 * @param options.isOutdated whether the page shows that somebody else has changed the record since the form was opened
 * @param options.onDone called after a success, with what the operation returned
 * @returns `isOutdated`: somebody else has changed the record, so the form can no longer be saved
 */
export function useAdminForm<
  Schema extends z.ZodType<Record<string, unknown>, Record<string, unknown>>,
>(options: {
  id: string;
  intent: string;
  schema: Schema;
  defaultValue?: DefaultValue<z.input<Schema>>;
  isOutdated?: boolean;
  onDone: (value: unknown) => void;
}) {
  const { intent, schema, onDone } = options;
  const action = useAdminAction({ onDone, showsErrors: false });
  // Its own change reaches the page before its answer does.
  const [wasSent, setWasSent] = useState(false);
  const isRefused = action.result?.ok === false && action.result.code === "changed-meanwhile";
  const isOutdated = isRefused || (options.isOutdated === true && !wasSent);
  const { revalidate } = useRevalidator();
  // The router does not load the page again after a refusal.
  useEffect(() => {
    if (isRefused) void revalidate();
  }, [isRefused, revalidate]);
  const sentNames = useRef<readonly string[]>([]);
  const lastResult = useMemo(() => toSubmissionResult(action.result, sentNames.current), [action.result]);
  const [form, fields] = useForm<z.input<Schema>, z.output<Schema>>({
    id: options.id,
    lastResult,
    ...(options.defaultValue && { defaultValue: options.defaultValue }),
    shouldValidate: "onSubmit",
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => parseWithZod(formData, { schema, disableAutoCoercion: true }),
    onSubmit: (event, { formData }) => {
      event.preventDefault();
      // It would be refused, and only after the password was asked for.
      if (isOutdated) return showOutdatedBanner();
      if (!reportIncompleteInput(event.currentTarget)) return;
      sentNames.current = [...new Set(formData.keys())];
      formData.set("intent", intent);
      setWasSent(true);
      action.send(formData);
    },
  });
  return { form, fields, busy: action.busy, isOutdated };
}

/**
 * A date or a number that is typed in part has an empty value. It would be taken for no value, so the browser says what
 * is missing.
 */
function reportIncompleteInput(form: HTMLFormElement): boolean {
  const incomplete = [...form.elements].find(
    (element) => element instanceof HTMLInputElement && element.validity.badInput,
  );
  return !(incomplete instanceof HTMLInputElement) || incomplete.reportValidity();
}

/** @param names the fields that were sent: an error of the server goes away when one of them changes */
function toSubmissionResult(
  result: AdminResult | undefined,
  names: readonly string[],
): SubmissionResult | undefined {
  if (result === undefined || result.ok || result.code === PASSWORD_NEEDED) return undefined;
  const fields = Object.entries(result.fields ?? {}).map(([path, messages]) => [formName(path), messages]);
  return {
    status: "error",
    error: fields.length > 0 ? Object.fromEntries(fields) : { "": [result.message] },
    state: { validated: Object.fromEntries(names.map((name) => [name, true])) },
  };
}

/** "options.0.label" → "options[0].label". */
function formName(path: string): string {
  return path.replace(/\.(\d+)(?=\.|$)/g, "[$1]");
}
