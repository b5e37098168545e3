import { useRef, useState } from "react";
import { languageName, TranslationField } from "#app/admin/forms/translation-field.tsx";
import type { Elements } from "#app/ui/texts/texts.ts";
import { labelOfValidity } from "#core/catalog/rules.ts";
import { TOOL_FIELDS } from "#core/catalog/tool-fields.ts";
import { OTHER_LANGUAGES } from "#core/catalog/translations.ts";
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
  const places = [...data.keys()].filter((key) => /^pricingOptions\[\d+\]\.label$/.test(key));
  const options = places.map((key) => ({
    label: text(key),
    days: text(key.replace(/label$/, "validityDays")),
  }));
  return {
    name: text("name"),
    description: text("description"),
    badge: text("badge"),
    features: list("features"),
    howToUse: list("howToUse"),
    options: options.filter(hasOwnLabel),
  };
}

const hasOwnLabel = ({ label, days }: EnglishTexts["options"][number]) =>
  label !== "" && label !== labelOfValidity(Number(days));

/** The texts of a tool in other languages, each beside the English one as it is typed above. */
export function TranslationFields({ values, errors }: { values: ToolFormValues; errors: FieldErrors }) {
  const fold = useRef<HTMLFieldSetElement>(null);
  const [english, setEnglish] = useState<EnglishTexts>(() => ({
    ...values,
    howToUse: values.howToUse.filter((step) => step !== ""),
    options: values.pricingOptions
      .map(({ label, validityDays }) => ({ label, days: validityDays }))
      .filter(hasOwnLabel),
  }));
  const read = () => {
    const form = fold.current?.form;
    if (form) setEnglish(readEnglish(form));
  };
  return OTHER_LANGUAGES.map((language) => {
    const path = `translations.${language}`;
    const texts = values.translations[language] ?? {};
    const row = (
      field: "name" | "description" | "badge" | "features" | "howToUse",
      { isLong = false, hint }: { isLong?: boolean; hint?: string } = {},
    ) => {
      const shown = english[field];
      return (
        <Pair
          key={field}
          label={TOOL_FIELDS[field].label}
          english={typeof shown === "string" ? [shown] : shown}
        >
          <TranslationField
            language={language}
            label={TOOL_FIELDS[field].label}
            name={`${path}.${field}`}
            defaultValue={[texts[field] ?? []].flat().join("\n")}
            // The shop itself translates the usual badges.
            hasEnglish={shown.length > 0 && field !== "badge"}
            isLong={isLong}
            hint={hint}
            errors={errors.at(`${path}.${field}`)}
          />
        </Pair>
      );
    };
    return (
      <FormFold
        key={language}
        title={`Texts in ${languageName(language)}`}
        hasErrors={errors.under(path).length > 0}
        onOpen={read}
      >
        {/* Whoever has typed above comes back here with the focus. */}
        <fieldset ref={fold} className="flex flex-col gap-4" onFocus={read}>
          <legend className="sr-only">{`Texts in ${languageName(language)}`}</legend>
          <p className="text-muted text-xs">
            {`Buyers who read ${languageName(language)} see these. Without one they see the English text.`}
          </p>
          {row("name")}
          {row("description", { isLong: true })}
          {row("badge", { hint: "“Popular”, “Best value” and “Free” need none." })}
          {row("features", { isLong: true, hint: "One feature a line." })}
          {row("howToUse", { isLong: true, hint: "One step a line." })}
          {english.options.map(({ label, days }) => (
            <Pair key={days} label={`Option of ${days} days`} english={[label]}>
              <TranslationField
                language={language}
                label={`Option of ${days} days`}
                name={`${path}.optionLabels.d${days}`}
                defaultValue={texts.optionLabels?.[days] ?? ""}
                hasEnglish
                errors={errors.at(`${path}.optionLabels.d${days}`)}
              />
            </Pair>
          ))}
        </fieldset>
      </FormFold>
    );
  });
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
