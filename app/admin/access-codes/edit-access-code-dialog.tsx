import { useState } from "react";
import type { RevealedAccessCode } from "#core/access-codes/reveal-access-code-to-admin.server.ts";
import { updateAccessCodeSchema } from "#core/access-codes/schemas.ts";
import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { Dialog } from "../../ui/dialogs/dialog.tsx";
import { CheckField } from "../../ui/forms/check-field.tsx";
import { SelectField } from "../../ui/forms/select-field.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { checkProps, fieldProps } from "../forms/field-props.ts";
import { FormFrame } from "../forms/form-frame.tsx";
import { useAdminForm } from "../forms/use-admin-form.ts";
import type { Opened } from "../forms/use-opened.ts";
import { ServerNameField } from "./server-name-field.tsx";

export interface EditedAccessCode extends RevealedAccessCode {
  toolName: string;
}

interface EditAccessCodeDialogProps {
  form: Opened<EditedAccessCode>;
  tools: readonly ToolChoice[];
}

/** The dialog that changes an access code. */
export function EditAccessCodeDialog({ form, tools }: EditAccessCodeDialogProps) {
  const { isOpen, value: code, key, close } = form;
  return (
    <Dialog
      open={isOpen}
      onOpenChange={(open) => !open && close()}
      title="Edit Access Code"
      keepOnOutsidePress
    >
      {code === null ? null : <EditAccessCodeForm key={key} code={code} tools={tools} onClose={close} />}
    </Dialog>
  );
}

interface EditAccessCodeFormProps {
  code: EditedAccessCode;
  tools: readonly ToolChoice[];
  onClose: () => void;
}

function EditAccessCodeForm({ code, tools, onClose }: EditAccessCodeFormProps) {
  const [toolId, setToolId] = useState(code.toolId);
  const { id, version, serverName, simpleCode, sessionCode, isActive } = code;
  const { form, fields, busy } = useAdminForm({
    id: "access-code",
    intent: "update",
    schema: updateAccessCodeSchema,
    defaultValue: { toolId: code.toolId, serverName, simpleCode, sessionCode, isActive },
    onDone: onClose,
  });
  return (
    <FormFrame
      form={form}
      busy={busy}
      submitLabel="Update Access Code"
      busyLabel="Updating..."
      onCancel={onClose}
    >
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="version" value={version} />
      <SelectField
        label="Tool Name"
        {...fieldProps(fields.toolId)}
        options={toolOptions(code, tools)}
        onChange={(event) => setToolId(event.currentTarget.value)}
        required
      />
      <ServerNameField field={fields.serverName} tool={tools.find((tool) => tool.id === toolId) ?? null} />
      <TextField
        label="Simple Code"
        {...fieldProps(fields.simpleCode)}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <TextField
        label="Session Code"
        {...fieldProps(fields.sessionCode)}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <CheckField label="Active" {...checkProps(fields.isActive)} />
    </FormFrame>
  );
}

/** A code of a deleted tool keeps its tool. */
function toolOptions(code: EditedAccessCode, tools: readonly ToolChoice[]) {
  const options = tools.map(({ id, name }) => ({ value: id, label: name }));
  return tools.some(({ id }) => id === code.toolId)
    ? options
    : [{ value: code.toolId, label: `${code.toolName} (deleted)` }, ...options];
}
