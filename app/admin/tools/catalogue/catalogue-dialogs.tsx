import { useState } from "react";
import { useRevalidator } from "react-router";
import { Banner } from "#app/ui/banner.tsx";
import { Button } from "#app/ui/button.tsx";
import { CheckField } from "#app/ui/forms/fields.tsx";
import { ScrollRegion } from "#app/ui/regions.tsx";
import { FILE_TOO_LARGE, MAX_FILE_BYTES } from "#core/catalog/catalogue-file/schemas.ts";
import { saveFile } from "../../../ui/save-file.ts";
import { useAdminFeedback } from "../../dashboard/admin-feedback.tsx";
import { AdminDialog } from "../../dialogs/admin-dialog.tsx";
import { PASSWORD_NEEDED } from "../../forms/admin-result.ts";
import { FileButton } from "../../forms/file-button.tsx";
import {
  appliedSchema,
  CatalogueChanges,
  countKinds,
  type Preview,
  previewSchema,
  StockChoice,
} from "./catalogue-changes.tsx";
import { postCatalogueFile, requestCatalogueFile } from "./catalogue-request.ts";

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
        <Banner tone="warning">{`The file does not contain ${leftOut === 1 ? "one access code" : `${leftOut} access codes`}: their server name matches no server of their tool. Correct the names under Access Codes, then download again.`}</Banner>
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

/** The shop has changed since the preview. */
const CHANGED = "changed-meanwhile";

interface UploadDialogProps {
  open: boolean;
  onClose: () => void;
}

/** Shows what a catalogue file would change, and then changes it. */
export function UploadDialog({ open, onClose }: UploadDialogProps) {
  return (
    <AdminDialog
      open={open}
      onClose={onClose}
      title="Upload Catalogue"
      description="Choose a catalogue file. You see what it would change before anything changes."
      size="large"
      holdsForm
    >
      <UploadSteps onClose={onClose} />
    </AdminDialog>
  );
}

interface ChosenFile {
  name: string;
  /** As they were when it was chosen. */
  bytes: Blob;
}

/** What the dialog shows of the chosen file. */
interface Shown {
  file: ChosenFile | null;
  preview: Preview | null;
  problems: readonly string[];
  /** An error, or why the preview is shown again. */
  message: string | null;
}

type StockOption = Preview["stock"]["suggestion"];

type Step = keyof typeof STEP_TEXTS;

const STEP_TEXTS = {
  idle: null,
  comparing: "Comparing it with your shop...",
  applying: "Applying the changes...",
} as const;

const NOTHING: Shown = { file: null, preview: null, problems: [], message: null };

function useUpload(onClose: () => void) {
  const feedback = useAdminFeedback();
  const revalidator = useRevalidator();
  const [shown, setShown] = useState<Shown>(NOTHING);
  const [step, setStep] = useState<Step>("idle");

  const preview = async (file: ChosenFile, message: string | null): Promise<void> => {
    const answer = await postCatalogueFile({ intent: "preview" }, file.bytes);
    if (!answer.ok && answer.code === PASSWORD_NEEDED)
      return feedback.askPassword(() => void during("comparing", () => preview(file, message)));
    if (!answer.ok) return setShown({ ...NOTHING, file, message: answer.message });
    const result = previewSchema.parse(answer.value);
    if (result.kind === "invalid") setShown({ ...NOTHING, file, problems: result.problems });
    else setShown({ ...NOTHING, file, preview: result, message });
  };
  const during = async (current: Step, work: () => Promise<void>) => {
    setStep(current);
    await work().finally(() => setStep("idle"));
  };
  const apply = (
    file: ChosenFile,
    { fingerprint }: Pick<Preview, "fingerprint">,
    stock: StockOption,
  ): Promise<void> =>
    during("applying", async () => {
      const answer = await postCatalogueFile({ intent: "apply", fingerprint, stock }, file.bytes);
      if (answer.ok) {
        const { added, changed } = appliedSchema.parse(answer.value);
        feedback.showSuccess(`Catalogue uploaded: ${added} added, ${changed} changed.`);
        void revalidator.revalidate();
        onClose();
      } else if (answer.code === PASSWORD_NEEDED)
        feedback.askPassword(() => void apply(file, { fingerprint }, stock));
      else if (answer.code === CHANGED)
        await preview(file, "The shop has changed since you looked. This is what the file would change now.");
      else setShown((before) => ({ ...before, message: answer.message, problems: answer.problems }));
    });
  return {
    ...shown,
    step,
    choose: (chosen: File) =>
      during("comparing", async () => {
        if (chosen.size > MAX_FILE_BYTES) return setShown({ ...NOTHING, message: FILE_TOO_LARGE });
        const bytes = await chosen.arrayBuffer().catch(() => null);
        if (bytes === null) return setShown({ ...NOTHING, message: "The file could not be read." });
        return preview({ name: chosen.name, bytes: new Blob([bytes]) }, null);
      }),
    apply,
  };
}

function UploadSteps({ onClose }: { onClose: () => void }) {
  const { file, preview, problems, message, step, choose, apply } = useUpload(onClose);
  const counts = preview && countKinds(preview);
  const [chosen, setChosen] = useState<{ of: string | null; option: StockOption } | null>(null);
  // Another file has another suggestion.
  const stock =
    chosen !== null && chosen.of === preview?.fingerprint
      ? chosen.option
      : (preview?.stock.suggestion ?? "keep");
  const changesStock = stock === "change" && preview !== null && preview.stock.total > 0;
  const canApply =
    file !== null &&
    preview !== null &&
    counts !== null &&
    (counts.added + counts.changed > 0 || changesStock);
  return (
    <div className="flex flex-col gap-4">
      <FilePicker name={file?.name ?? null} step={step} strong={!canApply} onChoose={choose} />
      {message === null ? null : <Banner tone={preview === null ? "error" : "warning"}>{message}</Banner>}
      {problems.length > 0 ? <Problems problems={problems} /> : null}
      {preview === null ? null : (
        <>
          <CatalogueChanges preview={preview} />
          <StockChoice
            stock={preview.stock}
            chosen={stock}
            onChoose={(option) => setChosen({ of: preview.fingerprint, option })}
          />
        </>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        {canApply ? (
          <Button variant="strong" busy={step !== "idle"} onClick={() => void apply(file, preview, stock)}>
            Apply These Changes
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function FilePicker({
  name,
  step,
  strong,
  onChoose,
}: {
  name: string | null;
  step: Step;
  strong: boolean;
  onChoose: (file: File) => void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <FileButton
        label={name === null ? "Choose a file" : "Choose another file"}
        accept="application/json,.json"
        strong={strong}
        disabled={step !== "idle"}
        onChoose={onChoose}
      />
      <p role="status" className="min-w-0 break-all text-muted text-sm">
        {STEP_TEXTS[step] ?? name}
      </p>
    </div>
  );
}

function Problems({ problems }: { problems: readonly string[] }) {
  const count = problems.length === 1 ? "one mistake" : `${problems.length} mistakes`;
  return (
    <div className="flex flex-col gap-2">
      <Banner tone="error">{`The file has ${count}. Nothing was changed.`}</Banner>
      <ScrollRegion
        as="ul"
        label="Mistakes in the file"
        className="max-h-96 rounded-control border border-line px-4 py-2 text-sm"
      >
        {problems.map((problem) => (
          <li key={problem} className="break-words border-line border-b py-1.5 last:border-b-0">
            {problem}
          </li>
        ))}
      </ScrollRegion>
    </div>
  );
}
