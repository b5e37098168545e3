/** A document of the old shop. Its texts hold no NUL and no half of a character, so that Postgres can store them. */
export interface OldDocument {
  id: string;
  /** Plain values: text, numbers, booleans, null, a Date for a typed timestamp, lists, and maps. */
  fields: Record<string, unknown>;
  /** The place in the export for people, such as "user_purchases.json, document 17". */
  where: string;
  /** What reading has changed, for the report: "a NUL character was removed". Absent: nothing. */
  repairs?: readonly string[];
}

export type ReadResult =
  | { kind: "document"; document: OldDocument }
  | { kind: "unreadable"; where: string; why: string };

/** One collection. A file with several collections is one `ExportFile` for each of them. */
export interface ExportFile {
  /** The collection as the export writes it, without folder and ending: "User_Purchases". */
  name: string;
  /** The file, from the folder or zip of the export: "backup/User_Purchases.json". */
  path: string;
  /** Reads from the start, a document at a time; may be called again. */
  read(): AsyncIterable<ReadResult>;
}

/** An export of the old shop's documents: a folder, or a zip. */
export interface OldExport {
  /** In the order of their paths. Two files may have the same name. */
  files: readonly ExportFile[];
  /** The files that hold no collection, with the reason. */
  ignored: readonly { path: string; why: string }[];
  /** Files that say that there is more than they hold. */
  incomplete: readonly string[];
  /**
   * The text of hash-config.json, which says how passwords are hashed; it may be named .txt. It is no ignored file.
   *
   * @returns null when there is no such file
   * @throws DocumentExportError when it is too large
   */
  readHashConfig(): Promise<string | null>;
  /** Deletes what was unpacked. */
  close(): Promise<void>;
}

/** The export cannot be read as a whole: no folder or zip, a broken or unsafe zip. `message` is a sentence for the owner. */
export class DocumentExportError extends Error {
  override readonly name = "DocumentExportError";
}
