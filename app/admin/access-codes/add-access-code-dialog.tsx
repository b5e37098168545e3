import { useState } from "react";
import { z } from "zod";
import { createAccessCodeSchema } from "#core/access-codes/schemas.ts";
import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { CheckField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { checkProps, fieldProps } from "../forms/field-props.ts";
import { FormFrame } from "../forms/form-frame.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { useAdminForm } from "../forms/use-admin-form.ts";
import type { Opened } from "../forms/use-opened.ts";
import { ChosenToolField, ServerNameField } from "./tool-and-server-fields.tsx";

const draftSchema = z.object({ sessionCode: z.string() });

interface AddAccessCodeDialogProps {
  form: Opened<true>;
  tools: readonly ToolChoice[];
}

/** The dialog that adds one access code. */
export function AddAccessCodeDialog({ form: { isOpen, key, close }, tools }: AddAccessCodeDialogProps) {
  return (
    <AdminDialog open={isOpen} onClose={close} title="Add Access Code" holdsForm>
      <AddAccessCodeForm key={key} tools={tools} onClose={close} />
    </AdminDialog>
  );
}

function AddAccessCodeForm({ tools, onClose }: { tools: readonly ToolChoice[]; onClose: () => void }) {
  const [tool, setTool] = useState<ToolChoice | null>(null);
  const [sessionCode, setSessionCode] = useState("");
  const { form, fields, busy } = useAdminForm({
    id: "access-code",
    intent: "create",
    schema: createAccessCodeSchema,
    defaultValue: { isActive: true },
    onDone: onClose,
  });
  const drafting = useAdminAction({
    onDone: (value) => setSessionCode(draftSchema.parse(value).sessionCode),
  });
  const choose = (next: ToolChoice | null) => {
    setTool(next);
    setSessionCode("");
    if (next !== null) drafting.run("draft-session-code", { toolId: next.id });
  };
  return (
    <FormFrame
      form={form}
      busy={busy || drafting.busy}
      submitLabel="Add Access Code"
      busyLabel={busy ? "Adding..." : "Add Access Code"}
      onCancel={onClose}
    >
      <ChosenToolField tools={tools} chosen={tool} onChange={choose} errors={fields.toolId.errors} />
      <ServerNameField field={fields.serverName} tool={tool} />
      <TextField
        label="Simple Code"
        {...fieldProps(fields.simpleCode)}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <TextField
        label="Session Code"
        id={fields.sessionCode.id}
        // Without a session code the shop generates one when the access code is added.
        name={sessionCode === "" ? undefined : fields.sessionCode.name}
        value={sessionCode}
        errors={fields.sessionCode.errors}
        placeholder={drafting.busy ? "Generating..." : "Select a tool first"}
        hint="Generated automatically."
        readOnly
      />
      <CheckField label="Active" {...checkProps(fields.isActive)} />
    </FormFrame>
  );
}
