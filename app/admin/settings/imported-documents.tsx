import { useState } from "react";
import type { ImportResult, UploadedImport } from "#core/import/uploaded-import.ts";
import { formatPaise } from "#core/money.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Fold, ScrollRegion } from "../../ui/regions.tsx";
import { formatCount } from "../format-count.ts";
import { IMPORT_PATH } from "./import-upload.ts";

/** In the order of the import. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  tools: "Tools",
  credentials: "Credentials",
  access_codes: "Access codes",
  accounts: "Sign-in accounts",
  users: "Profiles",
  user_documents: "User documents",
  coupon_codes: "Coupon codes",
  user_purchases: "Purchases",
  purchases: "Purchases (older list)",
};
export const nameOfCollection = (collection: string) => COLLECTIONS[collection] ?? collection;

type Counts = ImportResult["collections"][string] & { collection: string };

const COUNTED = [
  ["read", "Read"],
  ["created", "New"],
  ["merged", "Joined"],
  ["repeated", "Duplicates"],
  ["known", "Imported before"],
  ["changed", "Changed since"],
  ["repaired", "Repaired"],
  ["refused", "Refused"],
] as const satisfies (readonly [keyof Counts, string])[];

/** Every collection, in the order of the import. */
function rowsOf({ collections }: ImportResult): Counts[] {
  const names = Object.keys(COLLECTIONS);
  return Object.entries(collections)
    .map(([collection, counts]) => ({ collection, ...counts }))
    .toSorted((a, b) => names.indexOf(a.collection) - names.indexOf(b.collection));
}

/** A table of the counts; on phones a sentence for each collection. Counts that are 0 everywhere are left out. */
function CountsOf({ rows }: { rows: readonly Counts[] }) {
  const counted = COUNTED.filter(
    ([id]) => id === "read" || id === "created" || rows.some((row) => row[id] > 0),
  );
  const columns: Column<Counts>[] = counted.map(([id, header]) => ({
    id,
    header,
    align: "end",
    cell: (row) => <span className={row[id] === 0 ? "text-muted" : undefined}>{formatCount(row[id])}</span>,
  }));
  const name = ({ collection }: Counts) => (
    <span className="font-medium">{nameOfCollection(collection)}</span>
  );
  return (
    <>
      <div className="max-md:hidden">
        <DataTable
          label="Documents by collection"
          columns={[{ id: "collection", header: "Collection", cell: name }, ...columns]}
          rows={rows}
          rowId={(row) => row.collection}
        />
      </div>
      <ul aria-label="Documents by collection" className="text-sm md:hidden">
        {rows.map((row) => (
          <li key={row.collection} className="border-line border-b py-2 last:border-b-0">
            {name(row)}
            <span className="block text-muted">{sentenceOf(row)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** "15 read, 13 new, 1 refused" */
function sentenceOf(row: Counts): string {
  const parts = COUNTED.filter(([id]) => id === "read" || row[id] > 0);
  return parts
    .map(
      ([id, header]) =>
        `${formatCount(row[id])} ${row[id] === 1 && id === "repeated" ? "duplicate" : header.toLowerCase()}`,
    )
    .join(", ");
}

/** What became of the documents of an export, or would become of them. */
export function ImportedDocuments({ result, step }: { result: ImportResult; step: UploadedImport["step"] }) {
  const rows = rowsOf(result);
  const isDone = step === "import";
  const paise = rows.reduce(
    (sum, { paiseBefore, paiseAfter }) => ({
      before: sum.before + paiseBefore,
      after: sum.after + paiseAfter,
    }),
    { before: 0, after: 0 },
  );
  return (
    <div className="flex flex-col gap-3">
      {rows.length === 0 ? (
        <p className="text-sm">The file contains no documents from an old shop.</p>
      ) : (
        <CountsOf rows={rows} />
      )}
      {paise.before === 0 ? null : (
        <p className="text-sm">{`Amounts of the new purchases: ${formatPaise(paise.before)} in the file, ${formatPaise(paise.after)} ${isDone ? "imported" : "would be imported"}. They do not count as revenue of this shop.`}</p>
      )}
      {result.notices.length === 0 ? null : (
        <ul className="list-disc pl-5 text-sm">
          {result.notices.map((notice) => (
            <li key={notice} className="wrap-anywhere">
              {notice}
            </li>
          ))}
        </ul>
      )}
      <Lines title="Needs your attention" list={result.attention} isOpen />
      <Lines title="Repaired" list={result.repaired} />
      <Lines
        title={isDone ? "What each document became" : "What each document would become"}
        list={result.became}
      />
      <p className="text-sm">
        <a href={IMPORT_PATH} download className="text-accent underline">
          Download the full report
        </a>
      </p>
    </div>
  );
}

interface LinesProps {
  title: string;
  list: ImportResult["attention"];
  isOpen?: boolean;
}

/** The first lines of a part of the report. */
function Lines({ title, list: { lines, total }, isOpen }: LinesProps) {
  const [isShown, setIsShown] = useState(isOpen ?? false);
  if (total === 0) return null;
  return (
    <Fold summary={`${title} (${formatCount(total)})`} isOpen={isShown} onToggle={setIsShown}>
      <ScrollRegion as="ul" label={title} className="max-h-80 border-line border-t px-4 py-2 text-sm">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move, and two may be equal
          <li key={at} className="wrap-anywhere border-line border-b py-1.5 last:border-b-0">
            {line}
          </li>
        ))}
        {total > lines.length ? (
          <li className="py-1.5 text-muted">{`and ${formatCount(total - lines.length)} more in the full report`}</li>
        ) : null}
      </ScrollRegion>
    </Fold>
  );
}
