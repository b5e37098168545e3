import { type RefObject, useRef, useState } from "react";
import { COUPON_FIELDS, createCouponSchema } from "#core/catalog/coupon-fields.ts";
import type { ListedCoupon } from "#core/coupons/manage-coupons.server.ts";
import { formatLocalDateTime } from "#core/time.ts";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { upperCaseProps } from "../../ui/forms/upper-case.ts";
import { useShared } from "../../use-shared.ts";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import type { Opened } from "../dialogs/opened.ts";
import { checkProps, FormFrame, fieldProps, newerOf, useAdminForm } from "../forms/admin-form.tsx";

interface CouponDialogProps {
  /** With no coupon the form adds one. */
  form: Opened<ListedCoupon>;
  tools: readonly { id: string; name: string; contactOnly: boolean }[];
}

/** The dialog that adds or changes a coupon. */
export function CouponDialog({ form, tools }: CouponDialogProps) {
  const { isOpen, value: coupon, current, key, open, close } = form;
  const firstField = useRef<HTMLInputElement>(null);
  return (
    <AdminDialog
      open={isOpen}
      initialFocus={firstField}
      holdsForm
      onClose={close}
      title={coupon === null ? "Add Coupon Code" : "Edit Coupon Code"}
    >
      <CouponForm
        key={key}
        coupon={coupon}
        tools={tools}
        theirs={newerOf(coupon, current)}
        onShowTheirs={open}
        firstField={firstField}
        onClose={close}
      />
    </AdminDialog>
  );
}

interface CouponFormProps {
  coupon: ListedCoupon | null;
  tools: CouponDialogProps["tools"];
  /** The coupon as somebody else has changed it since; null when nobody has. */
  theirs: ListedCoupon | null;
  onShowTheirs: (theirs: ListedCoupon) => void;
  firstField: RefObject<HTMLInputElement | null>;
  onClose: () => void;
}

/** Keeps what it was opened with, so that a live update of the list does not change what is typed. */
function CouponForm(props: CouponFormProps) {
  const { coupon, tools, theirs, onShowTheirs, firstField, onClose } = props;
  const { timeZone } = useShared();
  const [toolId, setToolId] = useState(coupon?.toolId ?? "");
  const { form, fields, busy, isOutdated } = useAdminForm({
    id: "coupon",
    intent: coupon === null ? "create" : "update",
    schema: createCouponSchema,
    defaultValue: defaultsOf(coupon, timeZone),
    isOutdated: theirs !== null,
    onDone: onClose,
  });
  return (
    <FormFrame
      form={form}
      busy={busy}
      submitLabel={coupon === null ? "Create Coupon" : "Update Coupon"}
      busyLabel={coupon === null ? "Creating..." : "Updating..."}
      outdated={{ isOutdated, onShowTheirs: theirs === null ? null : () => onShowTheirs(theirs) }}
    >
      {coupon === null ? null : (
        <>
          <input type="hidden" name="id" value={coupon.id} />
          <input type="hidden" name="version" value={coupon.version} />
        </>
      )}
      <TextField
        ref={firstField}
        label={COUPON_FIELDS.code.label}
        {...fieldProps(fields.code)}
        autoComplete="off"
        {...upperCaseProps()}
        required
      />
      <SelectField
        label="Tool"
        {...fieldProps(fields.toolId)}
        options={toolOptions(coupon, tools)}
        onChange={({ currentTarget }) => setToolId(currentTarget.value)}
        hint={
          tools.some(({ id, contactOnly }) => id === toolId && contactOnly)
            ? "This tool is sold by chat only: buyers cannot enter the code. It serves sales by hand only."
            : undefined
        }
        required
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label={COUPON_FIELDS.discountPercentage.label}
          {...fieldProps(fields.discountPercentage)}
          type="number"
          inputMode="numeric"
          min={1}
          max={100}
          end={<span className="pr-3 text-muted">%</span>}
          required
        />
        <TextField
          label={COUPON_FIELDS.usageLimit.label}
          {...fieldProps(fields.usageLimit)}
          type="number"
          inputMode="numeric"
          min={1}
          placeholder="Unlimited"
        />
      </div>
      <TextField
        label={COUPON_FIELDS.expiresAt.label}
        {...fieldProps(fields.expiresAt)}
        type="datetime-local"
        hint={`Leave it empty for no expiry. Time zone: ${timeZone}.`}
      />
      <CheckField label={COUPON_FIELDS.isActive.label} {...checkProps(fields.isActive)} />
    </FormFrame>
  );
}

function defaultsOf(coupon: ListedCoupon | null, timeZone: string) {
  if (coupon === null) return { code: "", toolId: "", discountPercentage: "0", isActive: true };
  const { code, toolId, discountPercentage, usageLimit, expiresAt, isActive } = coupon;
  return {
    code,
    toolId,
    discountPercentage: String(discountPercentage),
    usageLimit: usageLimit === null ? "" : String(usageLimit),
    expiresAt: expiresAt === null ? "" : formatLocalDateTime(expiresAt, timeZone),
    isActive,
  };
}

/** A coupon of a deleted tool keeps its tool. */
function toolOptions(coupon: ListedCoupon | null, tools: CouponDialogProps["tools"]) {
  const options = tools.map(({ id, name }) => ({ value: id, label: name }));
  const first = { value: "", label: "Select a tool" };
  if (coupon === null || tools.some(({ id }) => id === coupon.toolId)) return [first, ...options];
  return [first, { value: coupon.toolId, label: `${coupon.toolName} (deleted)` }, ...options];
}
