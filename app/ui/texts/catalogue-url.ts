import type { Language } from "#languages/languages.ts";

const URLS = import.meta.glob<string>("/languages/*/screens.json", {
  eager: true,
  import: "default",
  query: "?url&no-inline",
});

/** Where a browser loads the texts of the screens in this language; undefined: they are in the code. */
export function catalogueUrl(language: Language): string | undefined {
  return URLS[`/languages/${language}/screens.json`];
}
