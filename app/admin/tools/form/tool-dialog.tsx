import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { newerOf } from "../../forms/outdated-banner.tsx";
import { ToolForm } from "./tool-form.tsx";
import type { FormChoices } from "./tool-form-values.ts";

interface ToolDialogProps extends FormChoices {
  open: boolean;
  /** Another number for each opening. */
  opening: number;
  /** As in ToolForm. */
  tool: ListedTool | null;
  /** Whether somebody has deleted the tool since the form was opened. */
  isDeleted: boolean;
  /** The tool as it is now; null when the list does not have it. */
  current: ListedTool | null;
  /** Opens the form again, with the tool as it is now. */
  onShowTheirs: (current: ListedTool) => void;
  onClose: () => void;
}

/** 'Add Tool' and 'Edit Tool'. */
export function ToolDialog(props: ToolDialogProps) {
  const { open, opening, tool, tools, credentials, isDeleted, current, onShowTheirs, onClose } = props;
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      title={tool === null ? "Add Tool" : "Edit Tool"}
      size="large"
      holdsForm
    >
      <ToolForm
        key={opening}
        tool={tool}
        tools={tools}
        credentials={credentials}
        isDeleted={isDeleted}
        theirs={newerOf(tool, current)}
        onShowTheirs={onShowTheirs}
        onClose={onClose}
      />
    </AdminDialog>
  );
}
