import { formatPaise } from "#core/money.ts";
import type { ImportedCollection } from "#db/tables/imports.ts";
import { CHECK } from "./field-reader.ts";

/** One thing that the owner may want to know of one document. It holds no password and no code. */
export interface ReportLine {
  collection: ImportedCollection;
  documentId: string;
  /**
   * created: it became a row · merged: it belongs to a row of another document or of the shop · repaired: it became a row
   * after a repair · refused: it became none · changed: it was imported before and has changed since · warned: the owner has to
   * check it · noted: something else that is worth knowing.
   */
  kind: "created" | "merged" | "repaired" | "refused" | "changed" | "warned" | "noted";
  text: string;
  /** The amount of a purchase, and whether it is a pass that runs now or begins later. */
  paise?: number;
  isRunning?: boolean;
}

/** Documents by what became of them; amounts in paise. */
export interface CollectionSummary {
  read: number;
  created: number;
  merged: number;
  /** An earlier document of the export has the same id and content. */
  repeated: number;
  repaired: number;
  refused: number;
  /** Imported before, and the same as then. */
  known: number;
  changed: number;
  /** The sum of the new documents that can be read, and of the rows that they became. Both 0 for collections without amounts. */
  paiseBefore: number;
  paiseAfter: number;
}

export interface ImportSummary {
  collections: Partial<Record<ImportedCollection, CollectionSummary>>;
  /** Sentences about the import as a whole. */
  notices: string[];
  /** Tools of the demo that nobody bought and that stay in the shop. */
  demoTools: string[];
}

export interface ReportListener {
  onLine(line: ReportLine): void;
  /** A sentence about the import as a whole, as soon as it is known. */
  onNotice(text: string): void;
  /** From time to time. `read`: documents of the collection so far. */
  onProgress(collection: ImportedCollection, read: number): void;
}

/** Counts what becomes of the documents, and passes each line on. It keeps no lines: there may be a million. */
export class ImportReport {
  readonly summary: ImportSummary = { collections: {}, notices: [], demoTools: [] };
  readonly #listener: ReportListener;

  constructor(listener: ReportListener) {
    this.#listener = listener;
  }

  of(collection: ImportedCollection): CollectionSummary {
    const known = this.summary.collections[collection];
    if (known !== undefined) return known;
    const counts = {
      read: 0,
      created: 0,
      merged: 0,
      repeated: 0,
      repaired: 0,
      refused: 0,
      known: 0,
      changed: 0,
    };
    const summary = { ...counts, paiseBefore: 0, paiseAfter: 0 };
    this.summary.collections[collection] = summary;
    return summary;
  }

  notice(text: string): void {
    this.summary.notices.push(text);
    this.#listener.onNotice(text);
  }

  read(collection: ImportedCollection): void {
    const summary = this.of(collection);
    summary.read += 1;
    if (summary.read % 1000 === 0) this.#listener.onProgress(collection, summary.read);
  }

  refused(
    collection: ImportedCollection,
    documentId: string,
    why: string,
    weight: Pick<ReportLine, "paise" | "isRunning"> = {},
  ): void {
    this.of(collection).refused += 1;
    this.#listener.onLine({ collection, documentId, kind: "refused", text: why, ...weight });
  }

  /** @param became what it became, in words: "the tool Canva (/tools/canva)" */
  became(
    collection: ImportedCollection,
    documentId: string,
    {
      kind,
      became,
      repairs,
      ...weight
    }: Pick<ReportLine, "paise" | "isRunning"> & {
      kind: "created" | "merged";
      became: string;
      repairs: readonly string[];
    },
  ): void {
    const summary = this.of(collection);
    summary[kind] += 1;
    this.#listener.onLine({ collection, documentId, kind, text: became, ...weight });
    if (repairs.length === 0) return;
    summary.repaired += 1;
    for (const repair of repairs) {
      const isCheck = repair.startsWith(CHECK);
      const line = isCheck
        ? ({ kind: "warned", text: repair.slice(CHECK.length) } as const)
        : ({ kind: "repaired", text: repair } as const);
      this.#listener.onLine({ collection, documentId, ...line, ...weight });
    }
  }

  /** @param changedFields null: it is the same as then */
  known(collection: ImportedCollection, documentId: string, changedFields: readonly string[] | null): void {
    this.of(collection)[changedFields === null ? "known" : "changed"] += 1;
    if (changedFields === null) return;
    const names = changedFields.length === 0 ? "" : ` (${changedFields.join(", ")})`;
    const text = `it was imported before and has changed since${names}; the shop keeps what it has`;
    this.#listener.onLine({ collection, documentId, kind: "changed", text });
  }

  /** The export has another document with this id before. */
  repeated(collection: ImportedCollection, documentId: string, isSame: boolean): void {
    if (!isSame)
      return this.refused(
        collection,
        documentId,
        "an earlier document has the same id but different content",
      );
    this.of(collection).repeated += 1;
    this.noted(collection, documentId, "an earlier document has the same id and content");
  }

  warned(collection: ImportedCollection, documentId: string, text: string): void {
    this.#listener.onLine({ collection, documentId, kind: "warned", text });
  }

  noted(collection: ImportedCollection, documentId: string, text: string): void {
    this.#listener.onLine({ collection, documentId, kind: "noted", text });
  }
}

const KINDS: Readonly<Record<ReportLine["kind"], string>> = {
  created: "becomes",
  merged: "is",
  repaired: "repaired:",
  refused: "refused:",
  changed: "kept:",
  warned: "check:",
  noted: "note:",
};

/** "user_purchases/abc becomes a completed purchase of Canva by a@example.com" */
export function formatLine({ collection, documentId, kind, text }: ReportLine): string {
  return `${collection}/${documentId} ${KINDS[kind]} ${text}`;
}

/** A paragraph for each collection, for a terminal. */
export function formatSummary({ collections, notices, demoTools }: ImportSummary): string[] {
  const lines = Object.entries(collections).map(([name, counts]) => {
    const parts = [
      `${counts.read} read`,
      `${counts.created} new`,
      ...(counts.merged > 0 ? [`${counts.merged} joined with others`] : []),
      ...(counts.repeated > 0 ? [`${counts.repeated} duplicate${counts.repeated === 1 ? "" : "s"}`] : []),
      ...(counts.known > 0 ? [`${counts.known} imported before`] : []),
      ...(counts.changed > 0 ? [`${counts.changed} changed since`] : []),
      ...(counts.repaired > 0 ? [`${counts.repaired} repaired`] : []),
      ...(counts.refused > 0 ? [`${counts.refused} refused`] : []),
    ];
    const sums =
      counts.paiseBefore === 0 && counts.paiseAfter === 0
        ? ""
        : `; ${formatPaise(counts.paiseBefore)} in the new documents: ${formatPaise(counts.paiseAfter)} imported, ${formatPaise(counts.paiseBefore - counts.paiseAfter)} recorded twice or without a buyer`;
    return `${name}: ${parts.join(", ")}${sums}.`;
  });
  const hint = `The shop still has tools of the demo that nobody bought: ${demoTools.join(", ")}. With --remove-demo-tools the import removes them.`;
  return [...lines, ...notices, ...(demoTools.length > 0 ? [hint] : [])];
}
