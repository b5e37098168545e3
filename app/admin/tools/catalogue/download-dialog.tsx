import { useState } from "react";
import { CheckField } from "#app/ui/forms/fields.tsx";
import { Banner } from "../../../ui/banner.tsx";
import { Button } from "../../../ui/button.tsx";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { PASSWORD_NEEDED } from "../../forms/admin-result.ts";
import { useAdminFeedback } from "../../frame/admin-feedback.tsx";
import { requestCatalogueFile, saveFile } from "./catalogue-request.ts";

interface DownloadDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Saves the catalogue file of the current shop. */
export function DownloadDialog({ open, onClose }: DownloadDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      title="Download Catalogue"
      description="All tools, coupons and texts of this shop in one file. Change many tools in it at once and upload it again, or fill another shop with it."
    >
      <DownloadForm onClose={onClose} />
    </AdminDialog>
  );
}

function DownloadForm({ onClose }: { onClose: () => void }) {
  const feedback = useAdminFeedback();
  const [includeSecrets, setIncludeSecrets] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [leftOut, setLeftOut] = useState(0);

  const download = async () => {
    setBusy(true);
    setError(null);
    const answer = await requestCatalogueFile(includeSecrets);
    setBusy(false);
    if (answer.ok) {
      saveFile(answer.file, answer.name);
      feedback.showSuccess("Catalogue downloaded.");
      if (answer.leftOutAccessCodes === 0) onClose();
      else setLeftOut(answer.leftOutAccessCodes);
    } else if (answer.code === PASSWORD_NEEDED) feedback.askPassword(() => void download());
    else setError(answer.message);
  };
  return (
    <div className="flex flex-col gap-4">
      {error === null ? null : <Banner tone="error">{error}</Banner>}
      {leftOut === 0 ? null : (
        <Banner tone="warning">
          The file does not contain {leftOut === 1 ? "one access code" : `${leftOut} access codes`}: their
          server name matches no server of their tool. Correct the names under Access Codes, then download
          again.
        </Banner>
      )}
      <CheckField
        label="With access codes and passwords"
        hint="They are readable in the file. Keep it as safe as a password."
        checked={includeSecrets}
        onChange={(event) => setIncludeSecrets(event.currentTarget.checked)}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{leftOut === 0 ? "Cancel" : "Close"}</Button>
        <Button variant="strong" busy={busy} onClick={() => void download()}>
          Download
        </Button>
      </div>
    </div>
  );
}
