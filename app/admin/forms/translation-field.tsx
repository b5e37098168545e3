import { type ComponentProps, useState } from "react";
import { Badge } from "#app/ui/badge.tsx";
import { TextAreaField } from "#app/ui/forms/fields.tsx";
import { TextField } from "#app/ui/forms/text-field.tsx";
import type { OtherLanguage } from "#core/catalog/translations.ts";
import type { Language } from "#languages/languages.ts";

/** What the admin area calls a language: "Hindi". */
export const languageName = (language: Language): string =>
  new Intl.DisplayNames("en", { type: "language" }).of(language) ?? language;

interface TranslationFieldProps
  extends Pick<ComponentProps<typeof TextField>, "id" | "name" | "errors" | "hint"> {
  language: OtherLanguage;
  /** What the English text is called. */
  label: string;
  defaultValue: string;
  /** Whether there is an English text to translate. */
  hasEnglish: boolean;
  /** A text of several lines. */
  isLong?: boolean;
}

/** A text of the owner in another language, beside the English one. It says when it is missing: buyers then read the English one. */
export function TranslationField(props: TranslationFieldProps) {
  const { language, label, hasEnglish, isLong = false, hint, defaultValue, ...field } = props;
  const [isEmpty, setEmpty] = useState(defaultValue.trim() === "");
  const name = languageName(language);
  const control = {
    ...field,
    lang: language,
    label: `${label} in ${name}`,
    defaultValue,
    hint: isEmpty && hasEnglish ? <Badge tone="yellow">{`${name} missing`}</Badge> : hint,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setEmpty(currentTarget.value.trim() === ""),
  };
  return isLong ? <TextAreaField {...control} /> : <TextField autoComplete="off" {...control} />;
}
