import type { FormEventHandler, ReactNode } from "react";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { OutdatedBanner } from "./outdated-banner.tsx";

interface FormFrameProps {
  /** The form of `useAdminForm`. */
  form: { id: string; onSubmit: FormEventHandler<HTMLFormElement>; errors?: string[] | undefined };
  busy: boolean;
  /** The name of the button that submits, and its name while the request runs. */
  submitLabel: string;
  busyLabel: string;
  onCancel: () => void;
  /** Of a form that changes a record: whether somebody else has changed it, and how to show theirs. */
  outdated?: { isOutdated: boolean; onShowTheirs: (() => void) | null };
  children: ReactNode;
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
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" variant="strong" busy={busy}>
          {busy ? busyLabel : submitLabel}
        </Button>
      </div>
    </form>
  );
}

/** The errors of a whole form, above its fields. */
export function FormErrors({ errors }: { errors: readonly string[] | undefined }) {
  if (errors === undefined || errors.length === 0) return null;
  return <Banner tone="error">{errors.join(" ")}</Banner>;
}
