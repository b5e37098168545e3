import type { ComponentProps } from "react";
import { TextField } from "../../../ui/forms/text-field.tsx";

/** A number. The mouse wheel scrolls the form and leaves the number as it is. */
export function NumberField(props: Omit<ComponentProps<typeof TextField>, "type" | "onWheel">) {
  return (
    <TextField
      inputMode="decimal"
      min={0}
      step={1}
      {...props}
      type="number"
      onWheel={(event) => event.currentTarget.blur()}
    />
  );
}

export function RupeesField(props: ComponentProps<typeof NumberField>) {
  return <NumberField step={0.01} {...props} start={<span aria-hidden="true">₹</span>} />;
}
