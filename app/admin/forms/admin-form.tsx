import { type DefaultValue, type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { type FormEventHandler, useEffect, useMemo, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import type { z } from "zod";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import type { Elements } from "../../ui/texts/texts.ts";
import { CancelButton } from "../dialogs/admin-dialog.tsx";
import { useAdminAction } from "./admin-action.tsx";
import { type AdminResult, PASSWORD_NEEDED } from "./admin-result.ts";

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
  /** The address of the action; the page's own without it. */
  action?: string;
  intent: string;
  schema: Schema;
  defaultValue?: DefaultValue<z.input<Schema>>;
  isOutdated?: boolean;
  onDone: (value: unknown) => void;
}) {
  const { intent, schema, onDone } = options;
  const action = useAdminAction({
    onDone,
    showsErrors: false,
    ...(options.action !== undefined && { action: options.action }),
  });
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

interface FieldState {
  id: string;
  name: string;
  errors?: string[] | undefined;
  initialValue?: unknown;
}

/** What a field of the UI needs to be a field of `useAdminForm`. */
export function fieldProps({ id, name, errors, initialValue }: FieldState) {
  return { id, name, errors, defaultValue: typeof initialValue === "string" ? initialValue : "" };
}

/** The same for a checkbox. */
export function checkProps({ id, name, initialValue }: FieldState) {
  return { id, name, defaultChecked: initialValue === "on" };
}

interface FormFrameProps {
  /** The form of `useAdminForm`. */
  form: { id: string; onSubmit: FormEventHandler<HTMLFormElement>; errors?: string[] | undefined };
  busy: boolean;
  /** The name of the button that submits, and its name while the request runs. */
  submitLabel: string;
  busyLabel: string;
  /** For a form that is a part of a dialog. Without it, Cancel closes the dialog as Escape does. */
  onCancel?: (() => void) | undefined;
  /** For a form that changes a record: whether somebody else has changed it, and how to show theirs. */
  outdated?: { isOutdated: boolean; onShowTheirs: (() => void) | null };
  children: Elements;
}

/** A form in a dialog: the errors of the whole form, its fields and its two buttons. */
export function FormFrame({
  form,
  busy,
  submitLabel,
  busyLabel,
  onCancel,
  outdated,
  children,
}: FormFrameProps) {
  return (
    <form id={form.id} onSubmit={form.onSubmit} noValidate className="flex flex-col gap-4">
      {outdated?.isOutdated ? (
        <OutdatedBanner onShowTheirs={outdated.onShowTheirs} />
      ) : (
        <FormErrors errors={form.errors} />
      )}
      {children}
      <div className="mt-1 flex flex-wrap justify-end gap-2">
        <CancelButton onCancel={onCancel} />
        {outdated?.isOutdated ? null : (
          <Button type="submit" variant="strong" busy={busy}>
            {busy ? busyLabel : submitLabel}
          </Button>
        )}
      </div>
    </form>
  );
}

/** The errors of a whole form, above its fields. */
export function FormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return <Banner tone="error">{errors.join(" ")}</Banner>;
}

const BANNER_ID = "outdated";

interface OutdatedBannerProps {
  /** Fills the form with the record as it is now; null while the page does not have it. */
  onShowTheirs: (() => void) | null;
}

/** Above a form whose record somebody else has changed. What is typed stays until the button is pressed. */
export function OutdatedBanner({ onShowTheirs }: OutdatedBannerProps) {
  return (
    <Banner tone="warning">
      <div
        id={BANNER_ID}
        tabIndex={-1}
        className="flex scroll-my-8 outline-none flex-wrap items-center justify-between gap-3"
      >
        <p>
          Someone else has changed this in the meantime, so your changes can no longer be saved. What you
          typed is still here: copy what you need.
        </p>
        {onShowTheirs === null ? null : (
          <Button size="small" onClick={onShowTheirs}>
            Discard Mine and Show Theirs
          </Button>
        )}
      </div>
    </Banner>
  );
}

/**
 * Scrolls the first error of a form into view and focuses its field, or the first one after it. For errors that belong to no
 * field that the form library knows.
 */
export function showFirstError(form: HTMLFormElement): void {
  const error = [...form.querySelectorAll<HTMLElement>('[role="alert"]')].find(
    (element) => element.textContent !== "",
  );
  const frame = error?.closest("fieldset, div.flex");
  frame?.querySelector<HTMLElement>("[aria-invalid], input:not([type=hidden]), select, textarea")?.focus();
  error?.scrollIntoView({ block: "center" });
}

/** Moves to the banner, which may be far from the button that saves. */
function showOutdatedBanner(): void {
  document.getElementById(BANNER_ID)?.focus();
}

/** The present record, if somebody has changed it since the form was opened with `opened`. */
export function newerOf<Row extends { version: number }>(
  opened: Row | null,
  current: Row | null,
): Row | null {
  return opened === null || current === null || current.version === opened.version ? null : current;
}

/** The refusal of an action, beside the button that was pressed: the banner of the page is behind the dialog. */
export function ActionError({ result }: { result: AdminResult | undefined }) {
  const isRefused = result !== undefined && !result.ok && result.code !== PASSWORD_NEEDED;
  return (
    <div role="alert" className="text-red text-sm empty:hidden">
      {isRefused ? result.message : null}
    </div>
  );
}
