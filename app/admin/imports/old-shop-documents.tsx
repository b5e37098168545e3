import { useEffect, useState } from "react";
import { z } from "zod";
import { formatPaise } from "#core/money.ts";
import { formatDate, formatDateTime } from "#core/time.ts";
import type { ImportedOriginal } from "#core/vault/imported-originals.server.ts";
import { Button } from "../../ui/button.tsx";
import { Fact } from "../../ui/fact.tsx";
import { VisuallyHidden } from "../../ui/text.tsx";
import { useShared } from "../../use-shared.ts";
import { nameOfField } from "../field-names.ts";
import { useAdminAction } from "../forms/admin-action.tsx";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The documents of the old shop that became a row, each with its original fields. Renders nothing if there is no such document.
 */
export function OldShopDocuments({ originals }: { originals: readonly ImportedOriginal[] }) {
  if (originals.length === 0) return null;
  return (
    <section aria-label="From the old shop" className="flex flex-col gap-4 border-line border-t pt-4">
      <h3 className="text-base">From the old shop</h3>
      {originals.map((original) => (
        <OldDocument key={original.id} original={original} />
      ))}
    </section>
  );
}

const listSchema = z.array(z.record(z.string(), z.unknown()));

/**
 * What the old shop kept about a user: the list of purchased tools in the user document, as it was, and all original
 * documents below, collapsed.
 */
export function OldShopUser({ originals }: { originals: readonly ImportedOriginal[] }) {
  if (originals.length === 0) return null;
  const bought = originals.flatMap(({ fields }) => listSchema.safeParse(fields?.purchasedTools).data ?? []);
  return (
    <section aria-label="From the old shop" className="flex flex-col gap-3 border-line border-t pt-4">
      <h3 className="text-base">From the old shop</h3>
      <p className="text-muted text-xs">
        {bought.length === 0
          ? "The old shop’s user document lists no purchased tools."
          : "Purchased tools as recorded by the old shop. This list does not give access."}
      </p>
      <FieldsOfList items={bought} />
      <details>
        <summary className="min-h-11 content-center rounded-control font-medium text-sm">{`Original documents (${originals.length})`}</summary>
        <div className="flex flex-col gap-4 pt-2">
          {originals.map((original) => (
            <OldDocument key={original.id} original={original} />
          ))}
        </div>
      </details>
    </section>
  );
}

function OldDocument({ original }: { original: ImportedOriginal }) {
  const { collection, documentId, fields } = original;
  return (
    <div className="flex flex-col gap-3">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 text-sm">
        <Fact name="Collection">{collection}</Fact>
        <Fact name="Document ID">{documentId}</Fact>
      </dl>
      <div className="rounded-control border border-line p-3">
        {fields === null ? <SealedFields original={original} /> : <FieldsOfDocument fields={fields} />}
      </div>
    </div>
  );
}

function FieldsOfDocument({ fields }: { fields: Fields }) {
  return Object.keys(fields).length === 0 ? (
    <p className="text-muted text-sm">The contents were deleted with the account.</p>
  ) : (
    <FieldList fields={fields} />
  );
}

const revealedSchema = z.object({ fields: z.record(z.string(), z.unknown()) });
/** Revealed passwords and codes are hidden again after this time. */
const REVEALED_MS = 60_000;

/** A document with passwords or codes is shown when the admin asks for it. */
function SealedFields({ original: { id, documentId } }: { original: ImportedOriginal }) {
  const [fields, setFields] = useState<Fields | null>(null);
  const reveal = useAdminAction({ onDone: (value) => setFields(revealedSchema.parse(value).fields) });
  useEffect(() => {
    if (fields === null) return;
    const timer = setTimeout(() => setFields(null), REVEALED_MS);
    return () => clearTimeout(timer);
  }, [fields]);
  if (fields !== null) return <FieldList fields={fields} />;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
      <p>This document contains passwords or codes and is stored encrypted.</p>
      <Button size="small" busy={reveal.busy} onClick={() => reveal.run("reveal-original", { id })}>
        <span>Show</span>
        <VisuallyHidden>{` the document ${documentId}`}</VisuallyHidden>
      </Button>
    </div>
  );
}

function FieldList({ fields }: { fields: Fields }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-sm">
      {inReadingOrder(fields).map(([field, value]) => {
        const { text, items } = readValue(value);
        return (
          <Fact key={field} name={nameOfField(field)} wide={items !== null || (text?.length ?? 0) > 30}>
            {items === null ? <Value field={field} value={text ?? value} /> : <FieldsOfList items={items} />}
          </Fact>
        );
      })}
    </dl>
  );
}

function FieldsOfList({ items }: { items: readonly Fields[] }) {
  if (items.length === 0) return null;
  return (
    <ul className="flex flex-col gap-3">
      {items.map((item, at) => (
        // The list never changes, and its entries may be equal.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={at} className="rounded-control border border-line p-3">
          <FieldList fields={item} />
        </li>
      ))}
    </ul>
  );
}

/** What a person reads first, as far as a document has it. */
const FIRST = ["toolName", "name", "price", "category", "purchaseDate", "accessType", "status"];

function inReadingOrder(fields: Fields): [string, unknown][] {
  const rank = (field: string) => (FIRST.includes(field) ? FIRST.indexOf(field) : FIRST.length);
  return Object.entries(fields).toSorted(([a], [b]) => rank(a) - rank(b));
}

/** A list of maps, or a map, becomes lists of fields; any other list or map becomes text. */
function readValue(value: unknown): { text: string | null; items: Fields[] | null } {
  if (Array.isArray(value)) {
    const items = value.length === 0 ? undefined : listSchema.safeParse(value).data;
    if (items !== undefined) return { text: null, items };
    return { text: value.map((part) => textOf(part)).join(", "), items: null };
  }
  if (typeof value === "object" && value !== null) return { text: null, items: [{ ...value }] };
  return { text: typeof value === "string" ? value : null, items: null };
}

const textOf = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

/** A moment as JSON has it. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
/** Prices of the old shop are in rupees. Its amounts were not always, so they are shown as they are. */
const PRICES = ["price", "originalPrice"];
const DATES = /date$|at$|login$/i;
/** Smaller numbers in a field of a date are not epoch milliseconds. */
const FIRST_MS = 1e11;

function Value({ field, value }: { field: string; value: unknown }) {
  const { timeZone } = useShared();
  if (value === null || value === "") return <span className="text-muted">–</span>;
  return <span>{formatValue(field, value, timeZone)}</span>;
}

function formatValue(field: string, value: unknown, timeZone: string): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number" && PRICES.includes(field)) return formatPaise(Math.round(value * 100));
  const isMoment =
    typeof value === "number" ? DATES.test(field) && value > FIRST_MS : MOMENT.test(String(value));
  const date = isMoment ? new Date(value as string | number) : null;
  if (date === null || Number.isNaN(date.getTime())) return textOf(value);
  return /date$/i.test(field) ? formatDate(date, timeZone) : formatDateTime(date, timeZone);
}
