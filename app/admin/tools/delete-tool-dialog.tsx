import { useEffect } from "react";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";

interface DeleteToolDialogProps {
  open: boolean;
  /** null before the first opening. */
  tool: { id: string; name: string } | null;
  onClose: () => void;
}

/** Closes with the first answer: the banner says what became of it, or the password is asked for. */
export function DeleteToolDialog({ open, tool, onClose }: DeleteToolDialogProps) {
  const { busy, result, run } = useAdminAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: one answer closes it once; `onClose` changes every time
  useEffect(() => {
    if (result !== undefined) onClose();
  }, [result]);
  return (
    <ConfirmDialog
      open={open}
      title={`Delete ${tool?.name ?? "this tool"}?`}
      confirmLabel="Delete Tool"
      busy={busy}
      onConfirm={() => tool && run("delete", { toolId: tool.id })}
      onClose={onClose}
    >
      <p>It disappears from the shop and from this list. Buyers who are already paying can still finish.</p>
      <p>
        What stays: passes that are still running keep the tool's page, its servers and codes until they end.
        Past purchases keep their name and price.
      </p>
      <p className="text-muted">To stop selling it for a while, edit it and make it inactive instead.</p>
    </ConfirmDialog>
  );
}
