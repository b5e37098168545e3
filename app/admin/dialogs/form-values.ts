/**
 * What is typed and chosen in a form, to compare it later. Includes fields without a name, whose text becomes a part of the
 * form later, and leaves out searches.
 */
export function valuesOf(form: HTMLFormElement): string {
  const values = [...form.elements].map((element) => {
    if (element instanceof HTMLInputElement) return valueOfInput(element);
    if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return element.value;
    return null;
  });
  return JSON.stringify(values.filter((value) => value !== null));
}

function valueOfInput(input: HTMLInputElement): string | boolean | null {
  if (input.type === "search") return null;
  return input.type === "checkbox" || input.type === "radio" ? input.checked : input.value;
}
