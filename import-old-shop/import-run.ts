import type { AuthorisedContext } from "#core/authorise.ts";
import type { Executor, Transaction } from "#db/database.ts";
import type { ToolServer } from "#db/tables/catalog.ts";
import type { ImportedCollection } from "#db/tables/imports.ts";
import type { KnownTool } from "./convert-purchases.ts";
import type { Conversion } from "./field-reader.ts";
import {
  hashDocument,
  type NamedDocument,
  selectChangedFields,
  selectKnownDocuments,
} from "./imported-documents.server.ts";
import type { ImportReport } from "./report.ts";
import { SeenDocuments } from "./seen-documents.ts";
import type { ExportFile, OldDocument } from "./source.ts";

/** Somebody asked the import to stop, or the database is gone. The collection that was under way is undone. */
export class ImportStoppedError extends Error {
  override readonly name = "ImportStoppedError";

  constructor(why = "The import was stopped.", options?: ErrorOptions) {
    super(
      `${why} Collections are imported as a whole or not at all. Run the import again to continue.`,
      options,
    );
  }
}

/** The shop has added a row that the import was about to add. The collection is undone. */
export class ImportConflictError extends Error {
  override readonly name = "ImportConflictError";

  constructor(collections: string, options: ErrorOptions) {
    super(
      `The shop added a row of its own while ${collections} were being imported, so none of these documents was imported. Run the import again.`,
      options,
    );
  }
}

/** A file of the export, and how its documents are named in the shop. */
export interface CollectionFile {
  file: ExportFile;
  /** Before the id of each document; empty unless the collection's name is misspelt, so that ids are as in the old shop. */
  prefix: string;
}

/** Everything that the steps of one import share. */
export interface ImportRun {
  ctx: AuthorisedContext;
  report: ImportReport;
  files: ReadonlyMap<ImportedCollection, readonly CollectionFile[]>;
  signal: AbortSignal;
  /** The slug and servers of each tool, by its id. */
  pages: Map<string, { slug: string; servers: ToolServer[] }>;
  /** The ids of tools of the demo that nobody bought, by their name in lower case. */
  unsoldDemo: Map<string, string>;
  /** Live tools of the shop, and tools of the import. */
  tools: ToolIndex;
  /** The account of each person of the old shop, by uid and by e-mail address. */
  people: PeopleIndex;
  /** The payments that purchases of the export name. */
  payments: SeenDocuments;
}

/** What a step works with: a transaction, or in a dry run the database, in which it writes nothing. */
export interface Step {
  executor: Executor;
  /** null in a dry run. */
  tx: Transaction | null;
}

/** Finds tools by their name, or by the id of their old document or their slug, in any case. */
export class ToolIndex {
  readonly #names = new Map<string, KnownTool>();
  readonly #ids = new Map<string, KnownTool>();

  byName(name: string): KnownTool | null {
    return this.#names.get(keyOf(name)) ?? this.#ids.get(keyOf(name)) ?? null;
  }

  byId(id: string): KnownTool | null {
    return this.#ids.get(keyOf(id)) ?? this.#names.get(keyOf(id)) ?? null;
  }

  /** A name or id that is taken stays with the tool that has it. */
  add(tool: KnownTool, { names, ids }: { names: readonly string[]; ids: readonly string[] }): void {
    for (const name of names) if (!this.#names.has(keyOf(name))) this.#names.set(keyOf(name), tool);
    for (const id of ids) if (!this.#ids.has(keyOf(id))) this.#ids.set(keyOf(id), tool);
  }
}

const keyOf = (name: string) => name.trim().toLowerCase();

export interface KnownPerson {
  userId: string;
  email: string;
  /** The account was in this shop before the import. */
  wasInShop: boolean;
  /** An admin has deleted the account. Nothing of the person is imported again. */
  isDeleted?: boolean;
}

export class PeopleIndex {
  readonly byUid = new Map<string, KnownPerson>();
  readonly byEmail = new Map<string, KnownPerson>();
}

/** A document that was imported before, and the id of its row. */
interface KnownId {
  documentId: string;
  becameId: string | null;
}

type KnownDocument = KnownId & Pick<NamedDocument, "document">;

/** A part of a collection ends with either. */
const DOCUMENTS_AT_ONCE = 1000;
const BYTES_AT_ONCE = 4_000_000;
/** An index of Postgres takes no longer one. */
const MAX_ID_BYTES = 1500;
/** The reader makes the id of a document that has none. It becomes a keyed one: the document may hold a short password. */
const INVENTED_ID = "no-id-";

/**
 * Reads the documents of a collection in parts, and says which of them were imported before.
 *
 * @param options.isCounted false for a second reading of the same documents
 * @throws ImportStoppedError
 */
export async function* readCollection(
  run: ImportRun,
  executor: Executor,
  collection: ImportedCollection,
  { isCounted = true } = {},
): AsyncGenerator<{ fresh: NamedDocument[]; known: KnownDocument[] }> {
  const seen = new SeenDocuments();
  for (const { file, prefix } of run.files.get(collection) ?? []) {
    let part: NamedDocument[] = [];
    let bytes = 0;
    for await (const result of file.read()) {
      if (isCounted) run.report.read(collection);
      if (result.kind === "unreadable") {
        if (isCounted) run.report.refused(collection, result.where, result.why);
        continue;
      }
      const { document } = result;
      const { hash: contentHash, length } = hashDocument(run.ctx.ports.cipher, document);
      const documentId = `${prefix}${document.id.startsWith(INVENTED_ID) ? `${INVENTED_ID}${contentHash.slice(0, 32)}` : document.id}`;
      if (Buffer.byteLength(documentId) > MAX_ID_BYTES) {
        if (isCounted) run.report.refused(collection, document.where, "its id is too long");
        continue;
      }
      const earlier = seen.add(documentId, contentHash);
      if (earlier !== null) {
        if (isCounted) run.report.repeated(collection, documentId, earlier === "same");
        continue;
      }
      part.push({ document, documentId, contentHash });
      bytes += length;
      if (part.length < DOCUMENTS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
      yield await separateKnown(run, executor, collection, part, isCounted);
      part = [];
      bytes = 0;
    }
    if (part.length > 0) yield await separateKnown(run, executor, collection, part, isCounted);
  }
}

async function separateKnown(
  run: ImportRun,
  executor: Executor,
  collection: ImportedCollection,
  part: readonly NamedDocument[],
  isCounted: boolean,
) {
  if (run.signal.aborted) throw new ImportStoppedError();
  const ids = part.map(({ documentId }) => documentId);
  const imported = await selectKnownDocuments(executor, collection, ids);
  const changed = part.filter(({ documentId, contentHash }) => {
    const before = imported.get(documentId);
    return isCounted && before !== undefined && before.contentHash !== contentHash;
  });
  const changedFields = await selectChangedFields(run.ctx.ports.cipher, executor, collection, changed);
  const known: KnownDocument[] = [];
  const fresh = part.filter(({ document, documentId, contentHash }) => {
    const before = imported.get(documentId);
    if (before === undefined) return true;
    if (isCounted)
      run.report.known(
        collection,
        documentId,
        before.contentHash === contentHash ? null : (changedFields.get(documentId) ?? []),
      );
    known.push({ document, documentId, becameId: before.becameId });
    return false;
  });
  return { fresh, known };
}

/** A document that can be imported. */
export interface Found<Row> {
  named: NamedDocument;
  row: Row;
  repairs: string[];
}

/** The fresh documents of a collection, converted, and the known ones. Refused documents are only reported. */
export async function readConverted<Row>(
  run: ImportRun,
  executor: Executor,
  collection: ImportedCollection,
  convert: (document: OldDocument, timeZone: string) => Conversion<Row>,
): Promise<{ found: Found<Row>[]; known: KnownId[] }> {
  const found: Found<Row>[] = [];
  const known: KnownId[] = [];
  for await (const part of readCollection(run, executor, collection)) {
    known.push(...part.known.map(({ documentId, becameId }) => ({ documentId, becameId })));
    for (const named of part.fresh) {
      const converted = convert(named.document, run.ctx.store.timeZone);
      if ("refused" in converted) run.report.refused(collection, named.documentId, converted.refused);
      else found.push({ named, ...converted });
    }
  }
  return { found, known };
}

interface Dated {
  row: { isActive: boolean; updatedAt: Date | null; createdAt: Date | null };
}

/** Documents that were changed last come first. */
export function newestFirst(a: Dated, b: Dated): number {
  const changedAt = ({ row }: Dated) => (row.updatedAt ?? row.createdAt)?.getTime() ?? 0;
  return changedAt(b) - changedAt(a);
}

/** The active ones first, then those that were changed last. */
export function activeThenNewest(a: Dated, b: Dated): number {
  return Number(b.row.isActive) - Number(a.row.isActive) || newestFirst(a, b);
}
