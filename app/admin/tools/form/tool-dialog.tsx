import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { ToolForm } from "./tool-form.tsx";
import type { ToolName } from "./tool-form-values.ts";

interface ToolDialogProps {
  open: boolean;
  /** Another number for each opening. */
  opening: number;
  /** As in ToolForm. */
  tool: ListedTool | null;
  tools: readonly ToolName[];
  notice: string | null;
  onClose: () => void;
}

/** 'Add Tool' and 'Edit Tool'. */
export function ToolDialog({ open, opening, tool, tools, notice, onClose }: ToolDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={tool === null ? "Add Tool" : "Edit Tool"}
      size="large"
      keepOnOutsidePress
    >
      <ToolForm key={opening} tool={tool} tools={tools} notice={notice} onClose={onClose} />
    </Dialog>
  );
}
