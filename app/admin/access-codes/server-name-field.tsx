import { useId, useState } from "react";
import type { ToolChoice } from "#core/catalog/list-tool-choices.server.ts";
import { TextField } from "../../ui/forms/text-field.tsx";
import { fieldProps } from "../forms/field-props.ts";

interface ServerNameFieldProps {
  field: Parameters<typeof fieldProps>[0];
  tool: ToolChoice | null;
}

/** The name of the server, with the servers of the tool to choose from. A tool page finds its codes by this name. */
export function ServerNameField({ field, tool }: ServerNameFieldProps) {
  const listId = useId();
  const names = tool?.serverNames ?? [];
  const { defaultValue } = fieldProps(field);
  const [typed, setTyped] = useState(String(defaultValue ?? ""));
  const name = typed.trim().toLowerCase();
  const isUnknown = name !== "" && !names.some((known) => known.toLowerCase() === name);
  const servers = `Servers of ${tool?.name}: ${names.join(", ")}`;
  return (
    <>
      <TextField
        label="Server Name"
        {...fieldProps(field)}
        list={listId}
        autoComplete="off"
        onChange={(event) => setTyped(event.currentTarget.value)}
        hint={
          names.length === 0
            ? undefined
            : isUnknown
              ? `${tool?.name} has no server with this name, so buyers would not see the code. ${servers}`
              : servers
        }
        required
      />
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
