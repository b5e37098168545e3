import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import {
  addSeveralAccessCodesSchema,
  CODES_AT_ONCE,
  createAccessCodeSchema,
} from "#core/access-codes/schemas.ts";
import type { ToolChoice } from "#core/catalog/list-tools-for-admin.server.ts";
import { Banner } from "../../ui/banner.tsx";
import { CheckField, TextAreaField } from "../../ui/forms/fields.tsx";
import { TextField } from "../../ui/forms/text-field.tsx";
import { ScrollRegion } from "../../ui/regions.tsx";
import { useAdminFeedback } from "../dashboard/admin-feedback.tsx";
import { AdminDialog } from "../dialogs/admin-dialog.tsx";
import type { Opened } from "../dialogs/opened.ts";
import { useAdminAction } from "../forms/admin-action.tsx";
import { checkProps, FormFrame, fieldProps, useAdminForm } from "../forms/admin-form.tsx";
import { ChosenToolField, ServerNameField } from "./tool-and-server-fields.tsx";

const draftSchema = z.object({ sessionCode: z.string() });

interface AddAccessCodeDialogProps {
  /** The tool that is chosen at first; null: none. */
  form: Opened<ToolChoice>;
  tools: readonly ToolChoice[];
}

/** The dialog that adds one access code. */
export function AddAccessCodeDialog({
  form: { isOpen, key, value, close },
  tools,
}: AddAccessCodeDialogProps) {
  return (
    <AdminDialog open={isOpen} onClose={close} title="Add Access Code" holdsForm>
      <AddAccessCodeForm key={key} initial={value} tools={tools} onClose={close} />
    </AdminDialog>
  );
}

interface AddAccessCodeFormProps {
  initial: ToolChoice | null;
  tools: readonly ToolChoice[];
  onClose: () => void;
}

function AddAccessCodeForm({ initial, tools, onClose }: AddAccessCodeFormProps) {
  const [tool, setTool] = useState(initial);
  const [sessionCode, setSessionCode] = useState("");
  const { form, fields, busy } = useAdminForm({
    id: "access-code",
    intent: "create",
    schema: createAccessCodeSchema,
    defaultValue: { isActive: true },
    onDone: onClose,
  });
  const drafting = useAdminAction({
    onDone: (value) => setSessionCode(draftSchema.parse(value).sessionCode),
  });
  const choose = (next: ToolChoice | null) => {
    setTool(next);
    setSessionCode("");
    if (next !== null) drafting.run("draft-session-code", { toolId: next.id });
  };
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current && initial !== null) choose(initial);
    isFirst.current = false;
  });
  return (
    <FormFrame
      form={form}
      busy={busy || drafting.busy}
      submitLabel="Add Access Code"
      busyLabel={busy ? "Adding..." : "Add Access Code"}
    >
      <ChosenToolField tools={tools} chosen={tool} onChange={choose} errors={fields.toolId.errors} />
      <ServerNameField field={fields.serverName} tool={tool} />
      <TextField
        label="Simple Code"
        {...fieldProps(fields.simpleCode)}
        autoComplete="off"
        spellCheck={false}
        required
      />
      <TextField
        label="Session Code"
        id={fields.sessionCode.id}
        // Without a session code the shop generates one when the access code is added.
        name={sessionCode === "" ? undefined : fields.sessionCode.name}
        value={sessionCode}
        errors={fields.sessionCode.errors}
        placeholder={drafting.busy ? "Generating..." : "Select a tool first"}
        hint="Generated automatically."
        readOnly
      />
      <CheckField label="Active" {...checkProps(fields.isActive)} />
    </FormFrame>
  );
}

const addedSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("added"), count: z.number() }),
  z.object({
    kind: z.literal("refused"),
    problems: z.array(z.object({ line: z.number(), message: z.string() })),
  }),
]);

type Problem = Extract<z.infer<typeof addedSchema>, { kind: "refused" }>["problems"][number];

interface AddSeveralDialogProps {
  form: Opened<ToolChoice>;
  tools: readonly ToolChoice[];
}

/** The dialog that adds a pasted list of access codes. */
export function AddSeveralDialog({ form: { isOpen, key, close }, tools }: AddSeveralDialogProps) {
  return (
    <AdminDialog
      open={isOpen}
      onClose={close}
      title="Add several access codes"
      holdsForm
      description="For one server of one tool. Each code gets a session code and is active at once."
    >
      <AddSeveralForm key={key} tools={tools} onClose={close} />
    </AdminDialog>
  );
}

function AddSeveralForm({ tools, onClose }: { tools: readonly ToolChoice[]; onClose: () => void }) {
  const { showSuccess } = useAdminFeedback();
  const [tool, setTool] = useState<ToolChoice | null>(null);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const { form, fields, busy } = useAdminForm({
    id: "access-codes",
    intent: "add-several",
    schema: addSeveralAccessCodesSchema,
    onDone: (value) => {
      const result = addedSchema.parse(value);
      if (result.kind === "refused") return setProblems(result.problems);
      showSuccess(result.count === 1 ? "1 access code added." : `${result.count} access codes added.`);
      onClose();
    },
  });
  return (
    <FormFrame form={form} busy={busy} submitLabel="Add Access Codes" busyLabel="Adding...">
      <ChosenToolField tools={tools} chosen={tool} onChange={setTool} errors={fields.toolId.errors} />
      <ServerNameField field={fields.serverName} tool={tool} />
      <HandOutField errors={fields.handOut.errors} />
      <StockOfCodes tool={tool} />
      <TextAreaField
        label="Simple Codes"
        {...fieldProps(fields.lines)}
        hint={`One code per line, at most ${CODES_AT_ONCE} at once. Empty lines are skipped.`}
        rows={6}
        autoComplete="off"
        spellCheck={false}
        onChange={() => setProblems([])}
        required
      />
      {problems.length === 0 ? null : <Problems problems={problems} />}
    </FormFrame>
  );
}

const countsSchema = z.object({ unused: z.number(), waiting: z.number() });

/** What codes for one buyer each do to the stock: passes that run already need one first. */
function StockOfCodes({ tool }: { tool: ToolChoice | null }) {
  const [counts, setCounts] = useState<z.infer<typeof countsSchema> | null>(null);
  const [added, setAdded] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  const asked = useRef("");
  const counting = useAdminAction({
    onDone: (value) => setCounts(countsSchema.parse(value)),
    showsErrors: false,
  });
  const toolId = tool?.id ?? "";
  // The fields belong to the form: their values are read where they are.
  useEffect(() => {
    const form = place.current?.closest("form");
    if (!form) return;
    const look = () => {
      const values = new FormData(form);
      const serverName = String(values.get("serverName") ?? "");
      const lines = String(values.get("lines") ?? "").split("\n");
      setAdded(lines.filter((line) => line.trim() !== "").length);
      const isPerBuyer = values.get("handOut") === "per-buyer" && toolId !== "" && serverName !== "";
      const key = isPerBuyer ? `${toolId} ${serverName}` : "";
      if (key === asked.current || counting.busy) return;
      asked.current = key;
      setCounts(null);
      if (isPerBuyer) counting.run("describe-codes", { toolId, serverName });
    };
    look();
    form.addEventListener("input", look);
    return () => form.removeEventListener("input", look);
  }, [toolId, counting.run, counting.busy]);
  return (
    <div ref={place} role="status" className="text-sm empty:hidden">
      {counts === null ? null : <p>{stockOf(counts, added)}</p>}
    </div>
  );
}

function stockOf({ unused, waiting }: z.infer<typeof countsSchema>, added: number): string {
  const stock = Math.max(0, unused + added - waiting);
  const passes = waiting === 1 ? "1 running pass needs" : `${waiting} running passes need`;
  const codes = added === 1 ? "this code" : `these ${added} codes`;
  const first =
    waiting === 0 ? "No running pass needs one of them." : `${passes} a code of this server first.`;
  return `${first} With ${codes} the stock of the tool becomes ${stock}.`;
}

const HAND_OUT_CHOICES = [
  { value: "for-all", label: "One code for all", hint: "Every buyer gets the newest one." },
  {
    value: "per-buyer",
    label: "One code per buyer",
    hint: "Each pass gets an unused code when its buyer first opens it, and keeps it. The tool’s stock is counted from these codes.",
  },
];

/** Who gets the codes. Nothing is chosen at first, because a wrong choice gives codes to the wrong people. */
function HandOutField({ errors = [] }: { errors: readonly string[] | undefined }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-1.5">
      <legend className="mb-1.5 font-medium text-sm">Who gets these codes?</legend>
      {HAND_OUT_CHOICES.map(({ value, label, hint }) => (
        <label
          key={value}
          className="flex cursor-pointer gap-3 rounded-control border border-field px-3 py-2.5 has-[:checked]:border-marigold has-[:checked]:bg-marigold/15"
        >
          <input type="radio" name="handOut" value={value} className="mt-1 size-4 shrink-0 accent-current" />
          <span className="min-w-0">
            <span className="block font-medium text-sm">{label}</span>
            <span className="block text-muted text-xs">{hint}</span>
          </span>
        </label>
      ))}
      <div role="alert" className="text-red text-xs empty:hidden">
        {errors.map((error) => (
          <p key={error}>{error}</p>
        ))}
      </div>
    </fieldset>
  );
}

function Problems({ problems }: { problems: readonly Problem[] }) {
  const heading = useRef<HTMLParagraphElement>(null);
  // The list is below the fields, and may be out of sight.
  useEffect(() => {
    if (problems.length === 0) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "start" });
  }, [problems]);
  return (
    <Banner tone="error">
      <p ref={heading} tabIndex={-1} className="rounded-sm font-semibold">
        No code was added. Please correct these lines:
      </p>
      <ScrollRegion as="ul" label="Lines to correct" className="mt-1 max-h-96">
        {problems.map(({ line, message }) => (
          <li key={line}>{`Line ${line}: ${message}`}</li>
        ))}
      </ScrollRegion>
    </Banner>
  );
}
