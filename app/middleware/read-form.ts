/** The fields of a posted form; empty when the body is no form. The verb judges what is in them. */
export async function readForm(request: Request): Promise<Record<string, FormDataEntryValue>> {
  const form = await request.formData().catch(() => new FormData());
  return Object.fromEntries(form);
}
