import { useState } from "react";
import { z } from "zod";
import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import type { RevealedAccessCode } from "#core/access-codes/manage-access-codes.server.ts";
import { updateAccessCodeSchema } from "#core/access-codes/schemas.ts";
import type { ToolChoice } from "#core/catalog/list-tools-for-admin.server.ts";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { AdminDialog, type Opened } from "../dialogs/admin-dialog.tsx";
import { useAdminAction } from "../forms/admin-action.tsx";
import { checkProps, FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { ServerNameField } from "./tool-and-server-fields.tsx";

/** What the action `reveal` answers: an access code with its whole session code. */
export const revealedSchema = z.object({
  id: z.string(),
  version: z.number(),
  toolId: z.string(),
  serverName: z.string(),
  isActive: z.boolean(),
  simpleCode: z.string(),
  sessionCode: z.string(),
});

/** What the form of an access code is opened with. */
export interface EditedAccessCode extends RevealedAccessCode {
  toolName: string;
}

interface EditAccessCodeDialogProps {
  form: Opened<EditedAccessCode>;
  tools: readonly ToolChoice[];
  /** The access codes that the list shows now. */
  rows: readonly ListedAccessCode[];
}

/** The dialog that changes an access code. */
export function EditAccessCodeDialog({ form, tools, rows }: EditAccessCodeDialogProps) {
  const { isOpen, value: code, key, open, close } = form;
  const current = rows.find(({ id }) => id === code?.id);
  return (
    <AdminDialog open={isOpen} onClose={close} title="Edit Access Code" holdsForm>
      {code === null ? null : (
        <EditAccessCodeForm
          key={key}
          code={code}
          tools={tools}
          theirs={current === undefined || current.version === code.version ? null : current}
          onShowTheirs={open}
          onClose={close}
        />
      )}
    </AdminDialog>
  );
}

interface EditAccessCodeFormProps {
  code: EditedAccessCode;
  tools: readonly ToolChoice[];
  /** The access code as somebody else has changed it since; null when nobody has. */
  theirs: ListedAccessCode | null;
  onShowTheirs: (theirs: EditedAccessCode) => void;
  onClose: () => void;
}

function EditAccessCodeForm(props: EditAccessCodeFormProps) {
  const { code, tools, theirs, onShowTheirs, onClose } = props;
  const [toolId, setToolId] = useState(code.toolId);
  const { id, version, serverName, simpleCode, sessionCode, isActive } = code;
  const { form, fields, busy, isOutdated } = useAdminForm({
    id: "access-code",
    intent: "update",
    schema: updateAccessCodeSchema,
    defaultValue: { toolId: code.toolId, serverName, simpleCode, sessionCode, isActive },
    isOutdated: theirs !== null,
    onDone: onClose,
  });
  // The list has the start of the session code only.
  const reveal = useAdminAction({
    onDone: (value) =>
      onShowTheirs({ ...revealedSchema.parse(value), toolName: theirs?.toolName ?? code.toolName }),
  });
  return (
    <FormFrame
      form={form}
      busy={busy || reveal.busy}
      submitLabel="Update Access Code"
      busyLabel="Updating..."
      outdated={{ isOutdated, onShowTheirs: theirs === null ? null : () => reveal.run("reveal", { id }) }}
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
      <ServerNameField
        field={fields.serverName}
        tool={tools.find((tool) => tool.id === toolId) ?? null}
        current={code}
      />
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
