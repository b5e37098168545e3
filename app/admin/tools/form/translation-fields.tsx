import { useRef, useState } from "react";
import { languageName, TranslationField } from "#app/admin/forms/translation-field.tsx";
import type { Elements } from "#app/ui/texts/texts.ts";
import { labelOfValidity } from "#core/catalog/rules.ts";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import { OTHER_LANGUAGES, type OtherLanguage } from "#core/catalog/translations.ts";
import { FormFold } from "./fields.tsx";
import type { FieldErrors, ToolFormValues } from "./tool-form-values.ts";

/** The English texts that the form has now. */
interface EnglishTexts {
  name: string;
  description: string;
  badge: string;
  features: string[];
  howToUse: string[];
  /** The labels that are not of the shop's own making: it translates those itself. */
  options: { label: string; days: string }[];
}

function readEnglish(form: HTMLFormElement): EnglishTexts {
  const data = new FormData(form);
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const list = (name: string) =>
    [...data.keys()]
      .filter((key) => key.startsWith(`${name}[`) && key.endsWith("]"))
      .map(text)
      .filter((entry) => entry !== "");
  const places = [...data.keys()].filter((key) => /^(optionLabel|pricingOptions\[\d+\]\.label)$/.test(key));
  const options = places.map((key) => ({
    label: text(key),
    days: text(key.replace(/optionLabel$|label$/, "validityDays")),
  }));
  return {
    name: text("name"),
    description: text("description"),
    badge: text("badge"),
    features: list("features"),
    howToUse: list("howToUse"),
    options: options.filter(
      ({ label, days }) =>
        label !== "" && label.toLowerCase() !== labelOfValidity(Number(days)).toLowerCase(),
    ),
  };
}

type ToolTexts = NonNullable<ToolFormValues["translations"][OtherLanguage]>;

const TEXT_FIELDS = ["name", "description", "badge", "features", "howToUse"] as const;

/** The stored texts as fields of a form have them, by their names. A list is one text with an entry a line. */
function typedTexts({ optionLabels = {}, ...texts }: ToolTexts): [name: string, text: string][] {
  const labels = Object.entries(optionLabels).map(([days, label]): [string, string] => [
    labelField(days),
    label,
  ]);
  return [
    ...TEXT_FIELDS.map((field): [string, string] => [field, [texts[field] ?? []].flat().join("\n")]),
    ...labels,
  ];
}

const labelField = (days: string) => `optionLabels.d${days}`;

/** The texts of a tool in other languages, each beside the English one as it is typed above. */
export function TranslationFields({ values, errors }: { values: ToolFormValues; errors: FieldErrors }) {
  return OTHER_LANGUAGES.map((language) => (
    <LanguageFields
      key={language}
      language={language}
      texts={new Map(typedTexts(values.translations[language] ?? {}))}
      errors={errors}
    />
  ));
}

interface LanguageFieldsProps {
  language: OtherLanguage;
  texts: ReadonlyMap<string, string>;
  errors: FieldErrors;
}

function LanguageFields({ language, texts, errors }: LanguageFieldsProps) {
  const place = useRef<HTMLFieldSetElement>(null);
  /** null: it has not been opened. */
  const [english, setEnglish] = useState<EnglishTexts | null>(null);
  const read = () => {
    const form = place.current?.form;
    if (form) setEnglish(readEnglish(form));
  };
  const path = `translations.${language}`;
  const field = (name: string, label: string, english: string | readonly string[], hint?: string) => (
    <Pair key={name} label={label} english={[english].flat()}>
      <TranslationField
        language={language}
        label={label}
        name={`${path}.${name}`}
        defaultValue={texts.get(name) ?? ""}
        // The shop itself translates the usual badges.
        hasEnglish={english.length > 0 && name !== "badge"}
        isLong={name === "description" || typeof english !== "string"}
        hint={hint}
        errors={errors.at(`${path}.${name}`)}
      />
    </Pair>
  );
  // What has no field stays as it is.
  const shown = new Set<string>(
    english === null ? [] : [...TEXT_FIELDS, ...english.options.map(({ days }) => labelField(days))],
  );
  const title = `Texts in ${languageName(language)}`;
  return (
    <FormFold title={title} hasErrors={errors.under(path).length > 0} onOpen={read}>
      {/* Whoever has typed above comes back here with the focus. */}
      <fieldset ref={place} className="flex flex-col gap-4" onFocus={read}>
        <legend className="sr-only">{title}</legend>
        {[...texts]
          .filter(([name]) => !shown.has(name))
          .map(([name, text]) => (
            <input key={name} type="hidden" name={`${path}.${name}`} value={text} />
          ))}
        {english === null ? null : (
          <>
            <p className="text-muted text-xs">
              {`Buyers who read ${languageName(language)} see these. Without one they see the English text.`}
            </p>
            {field("name", TOOL_FIELDS.name.label, english.name)}
            {field("description", TOOL_FIELDS.description.label, english.description)}
            {field(
              "badge",
              TOOL_FIELDS.badge.label,
              english.badge,
              "“Popular”, “Best value” and “Free” need none.",
            )}
            {field(
              "features",
              TOOL_FIELDS.features.label,
              english.features,
              `One feature a line: ${english.features.length} in English.`,
            )}
            {field(
              "howToUse",
              TOOL_FIELDS.howToUse.label,
              english.howToUse,
              `One step a line: ${english.howToUse.length} in English.`,
            )}
            {english.options.map(({ label, days }) =>
              field(labelField(days), `Option of ${days} days`, label),
            )}
          </>
        )}
      </fieldset>
    </FormFold>
  );
}

/** An English text, and the field of its translation beside it. */
function Pair({
  label,
  english,
  children,
}: {
  label: string;
  english: readonly string[];
  children: Elements;
}) {
  const lines = english.filter((line) => line !== "");
  return (
    <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-1.5 text-sm">
        <p className="font-medium max-sm:hidden">{label}</p>
        {lines.length === 0 ? (
          <p className="text-muted max-sm:hidden">None</p>
        ) : (
          lines.map((line) => (
            <p key={line} className="wrap-anywhere whitespace-pre-line text-muted">
              {line}
            </p>
          ))
        )}
      </div>
      {children}
    </div>
  );
}
