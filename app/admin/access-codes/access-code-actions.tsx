import type { ListedAccessCode } from "#core/access-codes/list-access-codes.server.ts";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { RowActions } from "../lists/row-actions.tsx";
import { type EditedAccessCode, revealedSchema } from "./revealed-access-code.ts";

interface AccessCodeActionsProps {
  code: ListedAccessCode;
  onEdit: (code: EditedAccessCode) => void;
  onDelete: () => void;
}

/** Edit first loads the whole session code, of which the list has the start only. */
export function AccessCodeActions({ code, onEdit, onDelete }: AccessCodeActionsProps) {
  const { id, toolName, serverName, simpleCode } = code;
  const reveal = useAdminAction({ onDone: (value) => onEdit({ ...revealedSchema.parse(value), toolName }) });
  return (
    <RowActions
      name={`${simpleCode ?? "the code"} of ${toolName}, ${serverName}`}
      onEdit={() => reveal.run("reveal", { id })}
      onDelete={onDelete}
    />
  );
}
