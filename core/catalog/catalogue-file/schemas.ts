import { z } from "zod";

/** The size of a catalogue file. */
export const MAX_FILE_BYTES = 25 * 1024 * 1024;
export const FILE_TOO_LARGE = "The file must not be larger than 25 MB.";

/** It has the slug and the stock of each tool whose stock changes. */
export const MAX_FINGERPRINT_LENGTH = 2_000_000;

const file = z
  .string({ error: "Choose a catalogue file." })
  .min(1, "Choose a catalogue file.")
  .refine((text) => Buffer.byteLength(text) <= MAX_FILE_BYTES, FILE_TOO_LARGE);

export const previewCatalogueSchema = z.object({
  /** The text of the file. */
  file,
});

export const applyCatalogueSchema = z.object({
  file,
  /**
   * What becomes of the stock of the tools that the shop has. Without it: `keep` when anything was sold since the file was
   * downloaded, as the preview suggests.
   */
  stock: z.enum(["keep", "change"]).optional(),
  /** The fingerprint in the preview of this file. */
  fingerprint: z.string({ error: "Preview the file first." }).max(MAX_FINGERPRINT_LENGTH),
});
