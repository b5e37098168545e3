import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { categoryLabel, DEMO_CATEGORIES } from "#app/storefront/catalogue/catalogue-params.ts";
import { CheckField, SelectField } from "#app/ui/forms/fields.tsx";
import { SERVICES } from "#core/catalog/limits.ts";
import { WORKS_ON, WORKS_ON_LABELS } from "#core/catalog/rules.ts";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import { TextField } from "../../../ui/forms/text-field.tsx";
import { Chips, FormFold, TextListField, textProps } from "./fields.tsx";
import type { FieldErrors, FormChoices, ToolFormValues, ToolName } from "./tool-form-values.ts";

interface ToolPageFieldsProps {
  values: ToolFormValues;
  /** Tools whose passes can open the page. */
  otherTools: readonly ToolName[];
  credentials: FormChoices["credentials"];
  errors: FieldErrors;
}

const FIELDS = [
  "badge",
  "contactOnly",
  "howToUse",
  "launchUrl",
  "credentialService",
  "credentialId",
  "pageNames",
  "pageToolIds",
];
const NO_SERVICE = { value: "", label: "None" };
const BY_SERVICE = { value: "", label: "By service" };

/** What a tool's card and page need beyond the usual fields. It opens by itself when one of them is wrong. */
export function ToolPageFields({ values, otherTools, credentials, errors }: ToolPageFieldsProps) {
  const text = (field: Parameters<typeof textProps>[0]) => textProps(field, values, errors);
  const used = credentials.map(({ service }) => service);
  const services = new Set(
    [...SERVICES.filter((service) => service !== "Other"), ...used, values.credentialService].filter(
      (service) => service !== "",
    ),
  );
  const hasErrors = FIELDS.some((name) => errors.under(name).length > 0);
  return (
    <FormFold title="More settings" hasErrors={hasErrors}>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField {...text("badge")} placeholder="Best value" hint="One or two words on the tool’s card." />
      </div>
      <div>
        <CheckField
          label={TOOL_FIELDS.contactOnly.label}
          name="contactOnly"
          defaultChecked={values.contactOnly}
          hint="The card shows Contact, and nobody can buy the tool in the shop."
        />
        <ErrorLines errors={errors.at("contactOnly")} />
      </div>
      <HowToUseFields lines={values.howToUse} errors={errors} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...text("launchUrl")}
          type="url"
          inputMode="url"
          placeholder="https://"
          hint="Where buyers open the tool, or sign in to it. The tool’s page has a button for it."
          autoComplete="off"
        />
        <SelectField
          {...text("credentialService")}
          hint="Buyers with a pass can copy the shared email and password on the tool’s page."
          options={[NO_SERVICE, ...[...services].map((service) => ({ value: service, label: service }))]}
        />
        <SelectField
          label="Credential"
          hint="Which one buyers get. By service works only while exactly one active credential fits."
          name="credentialId"
          defaultValue={values.credentialId}
          options={[
            BY_SERVICE,
            ...credentials.map(({ id, service, email }) => ({ value: id, label: `${service}: ${email}` })),
          ]}
          errors={errors.at("credentialId")}
        />
      </div>
      <TextListField
        label="Other names of this tool"
        name="pageNames"
        addLabel="Add Name"
        initial={values.pageNames}
        placeholder="Canva Pro"
        hint="Names under which you have sold it. Passes bought under one of them open this page too."
        errors={errors.under("pageNames")}
      />
      <PageToolsField initial={values.pageToolIds} tools={otherTools} errors={errors.under("pageToolIds")} />
    </FormFold>
  );
}

interface CategoryFieldProps {
  initial: string;
  tools: FormChoices["tools"];
  errors: readonly string[] | undefined;
}

/** A category of the shop, of the demo, or one that is typed. Case makes no other category. */
export function CategoryField({ initial, tools, errors }: CategoryFieldProps) {
  const [chosen, setChosen] = useState(initial);
  const values = [...tools.map(({ category }) => category), ...DEMO_CATEGORIES, "other", initial];
  const options = [...new Map(values.map((value) => [value.toLowerCase(), value]))]
    .map(([key, value]) => ({ value, label: categoryLabel(key) }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const isTyped = chosen === "";
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <SelectField
        label={TOOL_FIELDS.category.label}
        name={isTyped ? undefined : "category"}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        hint="Buyers filter and search by it."
        options={[...options, { value: "", label: "Another…" }]}
        errors={isTyped ? undefined : errors}
      />
      {isTyped ? (
        <TextField
          label="New category"
          name="category"
          autoComplete="off"
          autoFocus
          hint="Left empty, it is Other."
          errors={errors}
        />
      ) : null}
    </div>
  );
}

/** Where buyers can use the tool. */
export function WorksOnField({
  chosen,
  errors,
}: {
  chosen: ToolFormValues["worksOn"];
  errors: readonly string[];
}) {
  return (
    <fieldset className="rounded-control border border-line px-4 pt-2 pb-3">
      <legend className="px-1 font-medium text-sm">{TOOL_FIELDS.worksOn.label}</legend>
      <div className="flex flex-wrap gap-x-8">
        {WORKS_ON.map((value) => (
          <CheckField
            key={value}
            label={WORKS_ON_LABELS[value]}
            name="worksOn"
            value={value}
            defaultChecked={chosen.includes(value)}
          />
        ))}
      </div>
      <p className="text-muted text-xs">
        Shown to buyers before they pay. With Phone as well, they read “Extension on computers”. Leave all of
        them empty to show nothing.
      </p>
      <ErrorLines errors={errors} />
    </fieldset>
  );
}

/** The numbered lines at the top of the tool's page. */
function HowToUseFields({ lines, errors }: { lines: readonly string[]; errors: FieldErrors }) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-control border border-line p-4">
      <legend className="px-1 font-medium text-sm">{TOOL_FIELDS.howToUse.label}</legend>
      <p className="text-muted text-xs">
        Three short steps at the top of the tool’s page. Leave all of them empty to use the shop’s own steps.
      </p>
      {lines.map((line, at) => (
        <TextField
          // biome-ignore lint/suspicious/noArrayIndexKey: the number of fields never changes
          key={at}
          label={`Step ${at + 1}`}
          name={`howToUse[${at}]`}
          defaultValue={line}
          autoComplete="off"
          errors={errors.at(`howToUse[${at}]`)}
        />
      ))}
    </fieldset>
  );
}

function PageToolsField({
  initial,
  tools,
  errors,
}: {
  initial: readonly string[];
  tools: readonly ToolName[];
  errors: readonly string[];
}) {
  const [ids, setIds] = useState(initial);
  const choice = useRef<HTMLSelectElement>(null);
  const remove = (id: string) => {
    // At once, because a disabled field takes no focus.
    flushSync(() => setIds(ids.filter((other) => other !== id)));
    choice.current?.focus();
  };
  const left = tools.filter(({ id }) => !ids.includes(id));
  const chosen = tools.filter(({ id }) => ids.includes(id));
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        ref={choice}
        label="Other tools that open the page"
        value=""
        disabled={left.length === 0}
        options={[
          { value: "", label: left.length === 0 ? "No other tools" : "Choose a tool to add" },
          ...left.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        errors={errors}
        onChange={(event) => setIds([...ids, event.currentTarget.value])}
      />
      <Chips
        label="Other tools that open the page"
        name="pageToolIds"
        items={chosen.map(({ id, name }) => ({ value: id, text: name }))}
        onRemove={remove}
      />
    </div>
  );
}

function ErrorLines({ errors = [] }: { errors?: readonly string[] | undefined }) {
  return (
    <div role="alert" className="text-red text-xs empty:hidden">
      {errors.map((error) => (
        <p key={error}>{error}</p>
      ))}
    </div>
  );
}
