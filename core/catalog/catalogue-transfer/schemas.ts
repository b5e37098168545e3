import { z } from "zod";

const MAX_BYTES = 1024 * 1024;
const TOO_LARGE = "The file must not be larger than 1 MB.";

const file = z
  .string({ error: "Choose a catalogue file." })
  .min(1, "Choose a catalogue file.")
  .refine((text) => Buffer.byteLength(text) <= MAX_BYTES, TOO_LARGE);

export const previewCatalogueSchema = z.object({
  /** The text of the file. */
  file,
});

export const applyCatalogueSchema = z.object({
  file,
  /** Of the preview of this file. */
  fingerprint: z.string({ error: "Preview the file first." }).max(500_000),
});
