import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import { updateAccessCodeSchema } from "#core/access-codes/schemas.ts";
import type { ToolChoice } from "#core/catalog/list-tools-for-admin.server.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button } from "../../ui/button.tsx";
import { CheckField, SelectField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import { LoadingRows } from "../dialogs/dialog-content.tsx";
import type { Opened } from "../dialogs/opened.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { checkProps, FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { PASSWORD_NEEDED } from "../forms/admin-result.ts";
import { ServerNameField } from "./tool-and-server-fields.tsx";

/** What the action `reveal` answers: an access code with its whole session code. */
const revealedSchema = z.object({
  id: z.string(),
  version: z.number(),
  toolId: z.string(),
  serverName: z.string(),
  isActive: z.boolean(),
  simpleCode: z.string(),
  sessionCode: z.string(),
});

interface EditAccessCodeDialogProps {
  form: Opened<ListedAccessCode>;
  tools: readonly ToolChoice[];
}

/** The dialog that changes an access code. */
export function EditAccessCodeDialog({ form, tools }: EditAccessCodeDialogProps) {
  const { isOpen, value, current, key, close } = form;
  return (
    <AdminDialog open={isOpen} onClose={close} title="Edit Access Code" holdsForm>
      {value === null ? null : (
        <RevealedAccessCode key={key} listed={current ?? value} tools={tools} onClose={close} />
      )}
    </AdminDialog>
  );
}

interface RevealedAccessCodeProps {
  /** As the list has it now. */
  listed: ListedAccessCode;
  tools: readonly ToolChoice[];
  onClose: () => void;
}

/** Loads the whole session code, of which the list has the start only. It needs a recent password. */
function RevealedAccessCode({ listed, tools, onClose }: RevealedAccessCodeProps) {
  const [code, setCode] = useState<z.output<typeof revealedSchema> | null>(null);
  const { run, busy, result } = useAdminAction({
    onDone: (value) => setCode(revealedSchema.parse(value)),
    showsErrors: false,
  });
  const reveal = () => run("reveal", { id: listed.id });
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) reveal();
    isFirst.current = false;
  });
  if (code !== null)
    return (
      <EditAccessCodeForm
        key={code.version}
        code={code}
        listed={listed}
        tools={tools}
        theirs={{ isNewer: listed.version !== code.version, busy, show: reveal }}
        onClose={onClose}
      />
    );
  if (result === undefined || result.ok) return <LoadingRows />;
  if (result.code !== PASSWORD_NEEDED) return <Banner tone="error">{result.message}</Banner>;
  return (
    <div className="flex flex-col items-start gap-3">
      <p>The codes are shown after you have entered your password.</p>
      <Button onClick={reveal}>Enter Password</Button>
    </div>
  );
}

interface EditAccessCodeFormProps {
  code: z.output<typeof revealedSchema>;
  listed: ListedAccessCode;
  tools: readonly ToolChoice[];
  /** The access code as somebody else has changed it since, and how to show it. */
  theirs: { isNewer: boolean; busy: boolean; show: () => void };
  onClose: () => void;
}

function EditAccessCodeForm(props: EditAccessCodeFormProps) {
  const { code, listed, tools, theirs, onClose } = props;
  const [toolId, setToolId] = useState(code.toolId);
  const { id, version, serverName, simpleCode, sessionCode, isActive } = code;
  const { form, fields, busy, isOutdated } = useAdminForm({
    id: "access-code",
    intent: "update",
    schema: updateAccessCodeSchema,
    defaultValue: { toolId: code.toolId, serverName, simpleCode, sessionCode, isActive },
    isOutdated: theirs.isNewer,
    onDone: onClose,
  });
  return (
    <FormFrame
      form={form}
      busy={busy || theirs.busy}
      submitLabel="Update Access Code"
      busyLabel="Updating..."
      outdated={{ isOutdated, onShowTheirs: theirs.isNewer ? theirs.show : null }}
    >
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="version" value={version} />
      <SelectField
        label="Tool Name"
        {...fieldProps(fields.toolId)}
        options={toolOptions(listed, tools)}
        onChange={(event) => setToolId(event.currentTarget.value)}
        required
      />
      <ServerNameField
        field={fields.serverName}
        tool={tools.find((tool) => tool.id === toolId) ?? null}
        current={listed}
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
function toolOptions(code: ListedAccessCode, tools: readonly ToolChoice[]) {
  const options = tools.map(({ id, name }) => ({ value: id, label: name }));
  return tools.some(({ id }) => id === code.toolId)
    ? options
    : [{ value: code.toolId, label: `${code.toolName} (deleted)` }, ...options];
}
