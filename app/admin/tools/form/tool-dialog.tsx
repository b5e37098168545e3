import { useEffect, useRef, useState } from "react";
import { z } from "zod";
import { Banner } from "#app/ui/banner.tsx";
import { Button } from "#app/ui/button.tsx";
import { CheckField, TextAreaField } from "#app/ui/forms/fields.tsx";
import { TextField } from "#app/ui/forms/text-field.tsx";
import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { createToolSchema, updateToolSchema } from "#core/catalog/tool-editing/schemas.ts";
import { slugify } from "#core/catalog/tool-editing/tool-record.ts";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import { AdminDialog, CancelButton } from "../../dialogs/admin-dialog.tsx";
import {
  FormErrors,
  newerOf,
  OutdatedBanner,
  showFirstError,
  useAdminForm,
} from "../../forms/admin-form.tsx";
import { NumberField, ServersField, TextListField, textProps } from "./fields.tsx";
import { LogoField } from "./logo-field.tsx";
import { PricesField } from "./prices-field.tsx";
import {
  describeSaving,
  type FieldErrors,
  type FormChoices,
  NEW_TOOL,
  type ToolFormValues,
  type ToolName,
  toFieldErrors,
  toFormValues,
} from "./tool-form-values.ts";
import { CategoryField, ToolPageFields, WorksOnField } from "./tool-page-fields.tsx";
import { TranslationFields } from "./translation-fields.tsx";

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
  onAdded: (tool: ToolName) => void;
}

/** 'Add Tool' and 'Edit Tool'. */
export function ToolDialog(props: ToolDialogProps) {
  const { open, opening, tool, tools, credentials, isDeleted, current, onShowTheirs, onClose, onAdded } =
    props;
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
        onAdded={onAdded}
      />
    </AdminDialog>
  );
}

interface ToolFormProps extends FormChoices {
  /** The tool to change, as it was when the form was opened; null: a new one. */
  tool: ListedTool | null;
  /** Whether somebody has deleted the tool since the form was opened. */
  isDeleted: boolean;
  /** The tool as somebody else has changed it since; null when nobody has. */
  theirs: ListedTool | null;
  onShowTheirs: (theirs: ListedTool) => void;
  onClose: () => void;
  onAdded: (tool: ToolName) => void;
}

const addedSchema = z.object({ id: z.string(), name: z.string() });

/** The form of a tool. Later changes of `tool` do not change what is typed. */
function ToolForm(props: ToolFormProps) {
  const { tool, tools, credentials, isDeleted, theirs, onShowTheirs, onClose, onAdded } = props;
  const [values] = useState(() => (tool === null ? NEW_TOOL : toFormValues(tool, tools)));
  const { form, busy, isOutdated } = useAdminForm({
    id: "tool-form",
    intent: tool === null ? "create" : "update",
    schema: tool === null ? createToolSchema : updateToolSchema,
    isOutdated: theirs !== null,
    onDone: (value) => {
      onClose();
      if (tool === null) onAdded(addedSchema.parse(value));
    },
  });
  const errors = toFieldErrors(form.allErrors);
  const element = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    if (attempts === 0 || busy) return;
    // After a part that is folded up has opened for an error in it.
    const frame = requestAnimationFrame(() => {
      const isShown = document.activeElement?.hasAttribute("aria-invalid");
      if (element.current !== null && !isShown) showFirstError(element.current);
    });
    return () => cancelAnimationFrame(frame);
  }, [attempts, busy]);
  return (
    <form
      id={form.id}
      ref={element}
      onSubmit={(event) => {
        setAttempts((count) => count + 1);
        form.onSubmit(event);
      }}
      noValidate
      // The browser brings the cursor of a long field into view, and not its end.
      onFocus={({ target }) => {
        if (target instanceof HTMLTextAreaElement) target.scrollIntoView({ block: "nearest" });
      }}
      // The buttons cover the end of the form, so a focused field is scrolled above them.
      className="flex flex-col gap-4 [&_button]:scroll-mb-24 [&_input]:scroll-mb-24 [&_textarea]:scroll-mb-24"
    >
      {isDeleted ? <Banner tone="warning">Someone else has deleted this tool in the meantime.</Banner> : null}
      {tool === null ? null : <ShownVersion tool={tool} />}
      <ToolFields values={values} errors={errors} tool={tool} tools={tools} />
      <ToolPageFields
        values={values}
        otherTools={tools.filter(({ id }) => id !== tool?.id)}
        credentials={credentials}
        errors={errors}
      />
      <TranslationFields values={values} errors={errors} />
      <div className="sticky -bottom-6 -mx-5 -mb-6 flex flex-col gap-3 border-line border-t bg-card px-5 py-3 sm:-mx-6 sm:px-6">
        {isOutdated ? (
          <OutdatedBanner onShowTheirs={theirs === null ? null : () => onShowTheirs(theirs)} />
        ) : (
          <FormErrors errors={form.errors} />
        )}
        <div className="flex flex-wrap justify-end gap-2">
          <CancelButton />
          {isOutdated || isDeleted ? null : (
            <Button type="submit" variant="strong" busy={busy}>
              {tool === null ? "Add Tool" : "Update Tool"}
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}

/** What the server compares, so that nothing is overwritten that the form did not show. */
function ShownVersion({ tool }: { tool: ListedTool }) {
  return (
    <>
      <input type="hidden" name="toolId" value={tool.id} />
      <input type="hidden" name="version" value={tool.version} />
      <input type="hidden" name="shownStock" value={tool.availableStock} />
    </>
  );
}

function ToolFields({
  values,
  errors,
  tool,
  tools,
}: {
  values: ToolFormValues;
  errors: FieldErrors;
} & Pick<ToolFormProps, "tool" | "tools">) {
  const isNew = tool === null;
  const saving = isNew ? null : describeSaving(tool);
  const [name, setName] = useState(values.name);
  const text = (field: Parameters<typeof textProps>[0]) => textProps(field, values, errors);
  return (
    <>
      <TextField
        {...text("name")}
        autoComplete="off"
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        hint={isNew ? addressHint(name) : undefined}
        required
      />
      <LogoField toolName={name} initial={values.logo} errors={errors.at("logoFile")} />
      <TextAreaField {...text("description")} required />
      {saving === null ? null : <Banner tone="warning">{saving}</Banner>}
      <PricesField initial={values.prices} errors={errors} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          {...text("availableStock")}
          hint={stockHint(values, isNew)}
          readOnly={values.stockFromCodes}
          required
        />
        <CategoryField initial={values.category} tools={tools} errors={errors.at("category")} />
      </div>
      <TextListField
        label={TOOL_FIELDS.features.label}
        name="features"
        addLabel="Add"
        initial={values.features}
        placeholder="Type a feature, then press Enter"
        errors={errors.under("features")}
      />
      <CheckField label={TOOL_FIELDS.isActive.label} name="isActive" defaultChecked={values.isActive} />
      <WorksOnField chosen={values.worksOn} errors={errors.under("worksOn")} />
      <ServersField initial={values.servers} errors={errors} />
    </>
  );
}

function stockHint({ stockFromCodes }: ToolFormValues, isNew: boolean) {
  if (stockFromCodes) return "The number of unused codes, minus the passes still waiting for one.";
  return isNew ? "How many passes can be sold." : "Sales made while you edit are still subtracted.";
}

/** The address of a new tool is made from its name and never changes. */
function addressHint(name: string): string | undefined {
  if (name.trim() === "") return undefined;
  return slugify(name) === ""
    ? "Its address will be like /tools/tool-2, and stays: only English letters and digits of the name become part of it."
    : `Its address will be like /tools/${slugify(name)}, and stays.`;
}
