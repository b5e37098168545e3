import { useId } from "react";
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
  return (
    <>
      <TextField
        label="Server Name"
        {...fieldProps(field)}
        list={listId}
        autoComplete="off"
        hint={names.length === 0 ? undefined : `Servers of ${tool?.name}: ${names.join(", ")}`}
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
