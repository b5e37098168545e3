import { useCallback, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { z } from "zod";
import { MAX_UPLOAD_BYTES, UPLOAD_TOO_LARGE, type UploadedImport } from "#core/import/uploaded-import.ts";
import { formatDateTime } from "#core/time.ts";
import { SOMETHING_WENT_WRONG } from "../../middleware/error-messages.ts";
import { Banner } from "../../ui/banner.tsx";
import { Button, Spinner } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CheckField } from "../../ui/forms/fields.tsx";
import { useShared } from "../../use-shared.ts";
import { useAdminFeedback } from "../dashboard/admin-feedback.tsx";
import { formatCount } from "../format-count.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { NO_RESPONSE, PASSWORD_NEEDED } from "../forms/admin-result.ts";
import { FileButton } from "../forms/file-button.tsx";
import { useReloadWhile } from "../use-reload-while.ts";
import { IMPORT_PATH, IMPORT_TYPE } from "./import-upload.ts";
import { ImportedDocuments, nameOfCollection } from "./imported-documents.tsx";

/** Moves an old shop in: uploads its export, shows what would become of it, and imports it. */
export function MoveIn({ upload }: { upload: UploadedImport | null }) {
  const isRunning = upload?.outcome.kind === "running";
  useReloadWhile(isRunning);
  const sending = useSending();
  const isImported = upload?.step === "import" && upload.outcome.kind === "done";
  return (
    <Card className="p-4">
      <section aria-labelledby="move-in" className="flex flex-col gap-3">
        <div>
          <h2 id="move-in" className="text-base">
            Move in
          </h2>
          <p className="text-muted text-xs">
            Bring your old shop’s customers, purchases, tools, coupons and codes with you. Upload the export
            as a zip file. It is checked first, and you see the result before anything changes.
          </p>
        </div>
        {sending.error === null ? null : <Banner tone="error">{sending.error}</Banner>}
        {upload === null ? null : <LatestUpload upload={upload} />}
        {isRunning ? null : (
          <FilePicker
            label={upload === null || isImported ? "Choose a Zip File" : "Choose Another Zip File"}
            strong={upload === null}
            sending={sending}
          />
        )}
      </section>
    </Card>
  );
}

interface Sending {
  /** Of the file that is being sent, in percent; null: none is. */
  percent: number | null;
  error: string | null;
  choose: (file: File) => void;
}

function useSending(): Sending {
  const feedback = useAdminFeedback();
  const { revalidate } = useRevalidator();
  const [percent, setPercent] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const chosen = useRef<File | null>(null);

  const send = useCallback(async (): Promise<void> => {
    const file = chosen.current;
    if (file === null) return;
    setPercent(0);
    const answer = await sendZip(file, setPercent);
    setPercent(null);
    if (answer.ok) void revalidate();
    else if (answer.code === PASSWORD_NEEDED) feedback.askPassword(() => void send());
    else setError(answer.message);
  }, [feedback, revalidate]);
  // The server is asked first, and asks for the password, before a long file is sent.
  const prepare = useAdminAction({ onDone: () => void send() });
  return {
    percent,
    error,
    choose: (file) => {
      const refusal = whyRefused(file);
      setError(refusal);
      if (refusal !== null) return;
      chosen.current = file;
      prepare.run("prepare-import");
    },
  };
}

/** Before it is sent. */
function whyRefused({ size }: File): string | null {
  if (size === 0) return "The file is empty. Please choose another one.";
  return size > MAX_UPLOAD_BYTES ? UPLOAD_TOO_LARGE : null;
}

const answerSchema = z.union([
  z.object({ ok: z.literal(true) }),
  // The HTTP server's own refusals have only a code and a message.
  z
    .object({ code: z.string(), message: z.string() })
    .transform((refusal) => ({ ok: false as const, ...refusal })),
]);
type Answer = z.output<typeof answerSchema>;

/** Sends the file. `fetch` does not report how much was sent. */
function sendZip(file: File, onPercent: (percent: number) => void): Promise<Answer> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.upload.onprogress = ({ loaded, total }) => onPercent(Math.floor((100 * loaded) / total));
    request.onerror = () => resolve(NO_RESPONSE);
    request.onload = () => resolve(readAnswer(request.responseText));
    request.open("POST", `${IMPORT_PATH}?${new URLSearchParams({ name: file.name })}`);
    request.setRequestHeader("content-type", IMPORT_TYPE);
    request.setRequestHeader("accept", "application/json");
    request.send(file);
  });
}

function readAnswer(text: string): Answer {
  try {
    return answerSchema.parse(JSON.parse(text));
  } catch {
    return { ok: false, code: "failed", message: SOMETHING_WENT_WRONG };
  }
}

function FilePicker({ label, strong, sending }: { label: string; strong: boolean; sending: Sending }) {
  const { percent, choose } = sending;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <FileButton
        label={label}
        accept=".zip,application/zip"
        strong={strong}
        disabled={percent !== null}
        onChoose={choose}
      />
      <p role="status" className="text-muted text-sm">
        {percent === null ? "At most 200 MB." : `Uploading… ${percent}%`}
      </p>
    </div>
  );
}

function LatestUpload({ upload }: { upload: UploadedImport }) {
  const { timeZone } = useShared();
  const { fileName, uploadedAt, outcome } = upload;
  return (
    <div className="flex flex-col gap-3 border-line border-t pt-3">
      <p className="wrap-anywhere text-sm">
        <span className="font-medium">{fileName}</span>
        <span className="text-muted">{` · uploaded ${formatDateTime(new Date(uploadedAt), timeZone)}`}</span>
      </p>
      <OutcomeOf upload={upload} />
      {outcome.kind === "done" ? <ImportedDocuments result={outcome.result} step={upload.step} /> : null}
      {outcome.kind === "running" ? null : <NextSteps upload={upload} />}
    </div>
  );
}

function OutcomeOf({ upload: { step, outcome, progress } }: { upload: UploadedImport }) {
  const isImport = step === "import";
  switch (outcome.kind) {
    case "running":
      return (
        <p role="status" className="flex items-center gap-2 text-sm">
          <Spinner />
          <span>
            <span>{`${isImport ? "Importing…" : "Checking the file… Nothing has been changed yet."}${progress === null ? "" : ` ${nameOfCollection(progress.collection)}: ${formatCount(progress.read)} read.`}`}</span>
            <span className="block text-muted text-xs">You can leave this page. The work continues.</span>
          </span>
        </p>
      );
    case "interrupted":
      return (
        <Banner tone="warning">
          {`Interrupted. Run it again. ${isImport ? "What has been imported stays, and nothing is imported twice." : ""}`}
        </Banner>
      );
    case "failed":
      return <Banner tone="error">{outcome.message}</Banner>;
    case "done":
      return (
        <Banner tone={isImport ? "success" : "info"}>
          {isImport
            ? "Your old shop has been imported."
            : "Checked. Nothing has been changed yet. This is what an import would do."}
        </Banner>
      );
  }
}

/** What can be done with the uploaded file now. */
function NextSteps({ upload }: { upload: UploadedImport }) {
  const [removesDemo, setRemovesDemo] = useState(false);
  const start = useAdminAction();
  const { id, step, outcome, isChecked, hasFile } = upload;
  const isDone = outcome.kind === "done";
  if (isDone && step === "import") return null;
  if (!hasFile)
    return (
      <Banner tone="warning">The uploaded file is no longer on this server. Please upload it again.</Banner>
    );
  const run = (next: UploadedImport["step"]) =>
    start.run("start-import", { id, step: next, ...(removesDemo && { removesDemo: "yes" }) });
  const demoTools = isDone ? outcome.result.demoTools : [];
  return (
    <div className="flex flex-col gap-2">
      {demoTools.length === 0 ? null : (
        <CheckField
          label="Also remove the demo tools that nobody bought"
          hint={demoTools.join(", ")}
          checked={removesDemo}
          onChange={(event) => setRemovesDemo(event.currentTarget.checked)}
        />
      )}
      <div className="flex flex-wrap gap-2">
        {isChecked ? (
          <Button variant="strong" busy={start.busy} onClick={() => run("import")}>
            {step === "import" ? "Import Again" : "Import"}
          </Button>
        ) : null}
        {isDone ? null : (
          <Button variant={isChecked ? "plain" : "strong"} busy={start.busy} onClick={() => run("dry-run")}>
            Check Again
          </Button>
        )}
      </div>
    </div>
  );
}
