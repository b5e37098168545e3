import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { SelectField } from "../../ui/forms/fields.tsx";
import { fieldProps } from "../forms/field-props.ts";

interface ServerNameFieldProps {
  field: Parameters<typeof fieldProps>[0];
  /** null: none is chosen yet. */
  tool: ToolChoice | null;
  /** The server that the code has now. */
  current?: { toolId: string; serverName: string };
}

/** The name of the server: one of the tool's, because a tool page finds its codes by this name. */
export function ServerNameField({ field, tool, current }: ServerNameFieldProps) {
  const { defaultValue, ...props } = fieldProps(field);
  const normalise = (name: string) => name.trim().toLowerCase();
  const names = tool?.serverNames ?? [];
  const stored = current && (tool === null || current.toolId === tool.id) ? current.serverName : null;
  const own = names.find((name) => stored !== null && normalise(name) === normalise(stored));
  const isGone = stored !== null && own === undefined;
  const first = tool === null ? "Select a tool first" : "Select a server";
  return (
    <SelectField
      // Another tool has other servers.
      key={tool?.id}
      label="Server Name"
      {...props}
      defaultValue={own ?? stored ?? (names.length === 1 ? names[0] : defaultValue)}
      options={[
        { value: "", label: first },
        ...names.map((name) => ({ value: name, label: name })),
        ...(isGone ? [{ value: stored, label: `${stored} (not a server of this tool)` }] : []),
      ]}
      hint={isGone ? "Buyers don’t see this code: this tool has no server with that name." : undefined}
      required
    />
  );
}
