import { z } from "zod";
import { Badge } from "#app/ui/badge.tsx";
import { classNames } from "#app/ui/class-names.ts";
import { ScrollRegion } from "#app/ui/regions.tsx";
import { VisuallyHidden } from "#app/ui/text.tsx";
import { useShared } from "#app/use-shared.ts";
import { labelOfPlace, labelOfValidity } from "#core/catalog/rules.ts";
import { formatPaise } from "#core/money.ts";
import { formatDateTime } from "#core/time.ts";
import { nameOfField } from "../../field-names.ts";

/** What an upload would change: each entry that is added, and each field before and after. */
export function CatalogueChanges({ preview }: { preview: Preview }) {
  const counts = countKinds(preview);
  const sections = groupChanges(preview).filter(({ total }) => total > 0);
  return (
    <div className="flex flex-col gap-3">
      <p role="status" className="font-medium">
        {counts.added + counts.changed === 0
          ? preview.stock.total === 0
            ? "This file changes nothing in your shop."
            : "This file changes nothing but stock."
          : `${counts.added} added, ${counts.changed} changed, ${counts.unchanged} unchanged.`}
      </p>
      <LeftOut {...preview.leftOut} />
      {preview.keptCredentials.map(({ toolName, email }) => (
        <p key={toolName} className="wrap-anywhere text-sm">
          {`${toolName} gives its buyers the sign-in ${email}, although several fit its service. Choose another one in the tool’s form.`}
        </p>
      ))}
      {sections.length === 0 ? null : (
        <ScrollRegion
          label="What would change"
          className="max-h-96 rounded-control border border-line px-4 py-3"
        >
          {sections.map(({ section, name, shown, total, unchanged }) => (
            <section key={section} className="mb-4 last:mb-0">
              <h3 className="flex flex-wrap items-baseline gap-x-2 text-sm">
                <span>{name}</span>
                {unchanged > 0 ? (
                  <span className="font-normal text-muted text-xs tracking-normal">
                    {`${unchanged} unchanged`}
                  </span>
                ) : null}
              </h3>
              <ul>
                {shown.map((change, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a server may have several codes; no entry moves
                  <ChangedEntry key={at} change={change} />
                ))}
              </ul>
              {total > shown.length ? (
                <p className="text-muted text-xs">{`and ${total - shown.length} more`}</p>
              ) : null}
            </section>
          ))}
        </ScrollRegion>
      )}
    </div>
  );
}

interface StockChoiceProps {
  stock: Preview["stock"];
  chosen: Preview["stock"]["suggestion"];
  onChoose: (chosen: Preview["stock"]["suggestion"]) => void;
}

/** The changes of stock, apart from all others: a file has the stock of the time when it was downloaded. */
export function StockChoice({ stock, chosen, onChoose }: StockChoiceProps) {
  if (stock.total === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1 rounded-control border border-line px-4 pt-1 pb-3">
      <legend className="px-1 font-medium text-sm">Stock</legend>
      {stock.suggestion === "keep" ? (
        <p className="text-sm">
          Passes were sold after this file was downloaded, so its stock numbers are older than the shop’s.
        </p>
      ) : null}
      {(["keep", "change"] as const).map((choice) => (
        <label key={choice} className="flex min-h-11 cursor-pointer items-center gap-3 text-sm">
          <input
            type="radio"
            name="stock"
            value={choice}
            checked={chosen === choice}
            onChange={() => onChoose(choice)}
            className="size-5 shrink-0 outline-accent outline-offset-2 focus-visible:outline-2"
          />
          <span>{choice === "keep" ? "Leave the stock as it is" : "Change the stock as in the file"}</span>
        </label>
      ))}
      <ScrollRegion as="ul" label="Changes of stock" className="max-h-48 text-sm">
        {stock.listed.map(({ slug, name, before, after }) => (
          <li key={slug} className="flex justify-between gap-3 border-line border-b py-1 last:border-b-0">
            <span className="wrap-anywhere min-w-0">{name}</span>{" "}
            <span
              className={classNames("shrink-0 tabular-nums", chosen === "keep" && "text-muted line-through")}
            >
              {`${before} → ${after}`}
            </span>
          </li>
        ))}
        {stock.total > stock.listed.length ? (
          <li className="text-muted text-xs">{`and ${stock.total - stock.listed.length} more`}</li>
        ) : null}
      </ScrollRegion>
    </fieldset>
  );
}

function LeftOut({ tools, coupons }: Preview["leftOut"]) {
  const parts = [
    tools === 0 ? null : tools === 1 ? "one tool" : `${tools} tools`,
    coupons === 0 ? null : coupons === 1 ? "one coupon code" : `${coupons} coupon codes`,
  ].filter((part) => part !== null);
  if (parts.length === 0) return null;
  return (
    <p className="text-muted text-sm">{`Not in the file, and kept as they are: ${parts.join(" and ")}.`}</p>
  );
}

function ChangedEntry({ change: { section, key, name, kind, fields } }: { change: Change }) {
  const isNamedTool = (section === "tools" || section === "pages") && name !== key;
  return (
    <li className="border-line border-b py-2 last:border-b-0">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <Badge tone={kind === "added" ? "green" : "yellow"}>{kind === "added" ? "Added" : "Changed"}</Badge>
        <span className="wrap-anywhere min-w-0 font-medium">{name}</span>
        {isNamedTool ? <span className="wrap-anywhere min-w-0 text-muted text-xs">{key}</span> : null}
      </p>
      {fields.length === 0 ? null : (
        <dl className="mt-1 grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[9rem_1fr]">
          {fields.map(({ field, before, after }) => (
            <div key={field} className="contents">
              <dt className="text-muted">{nameOfField(field)}</dt>
              <dd className="min-w-0 pb-1 sm:pb-0">
                <BeforeAndAfter field={field} before={before} after={after} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

function BeforeAndAfter({ field, before, after }: Change["fields"][number]) {
  const { timeZone } = useShared();
  const old = linesOfValue(field, before, timeZone);
  const next = linesOfValue(field, after, timeZone);
  const isShort = [...old, ...next].join("").length < 40 && old.length < 2 && next.length < 2;
  return (
    <div className={isShort ? "flex flex-wrap gap-x-2" : "flex flex-col"}>
      <del className="text-muted">
        <VisuallyHidden>before: </VisuallyHidden>
        <Lines lines={old} />
      </del>
      <span aria-hidden="true" className="text-muted no-underline">
        {isShort ? "→" : "↓"}
      </span>
      <ins className="no-underline">
        <VisuallyHidden>after: </VisuallyHidden>
        <Lines lines={next} />
      </ins>
    </div>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return <span className="italic">none</span>;
  if (lines.length === 1) return <span className="whitespace-pre-wrap break-words">{lines[0]}</span>;
  return (
    <>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move
        <span key={at} className="block break-words">
          {line}
        </span>
      ))}
    </>
  );
}

const optionSchema = z.object({
  label: z.string(),
  validityDays: z.number(),
  pricePaise: z.number(),
  originalPricePaise: z.number().nullable(),
});
const serverSchema = z.object({ id: z.string(), name: z.string(), url: z.string().nullable() });

/** A value of a field before or after an upload, as lines of text. Without lines there is no value. */
export function linesOfValue(field: string, value: unknown, timeZone: string): string[] {
  if (value === null || value === undefined || value === "") return [];
  if (Array.isArray(value))
    return value.flatMap((item) => (field === "worksOn" ? [labelOfPlace(item)] : lineOfItem(item)));
  if (typeof value === "boolean") return [value ? "Yes" : "No"];
  if (typeof value === "number") return [formatNumber(field, value)];
  if (typeof value === "string") {
    const isTime = field.endsWith("At") && !Number.isNaN(Date.parse(value));
    return [isTime ? formatDateTime(new Date(value), timeZone) : value];
  }
  return lineOfItem(value);
}

function formatNumber(field: string, value: number): string {
  if (field.endsWith("Paise")) return formatPaise(value);
  return field.endsWith("Percentage") ? `${value}%` : String(value);
}

function lineOfItem(item: unknown): string[] {
  const option = optionSchema.safeParse(item);
  if (option.success) {
    const { label, validityDays, pricePaise, originalPricePaise } = option.data;
    const original = originalPricePaise === null ? "" : `, was ${formatPaise(originalPricePaise)}`;
    const days = label === labelOfValidity(validityDays) ? "" : ` (${labelOfValidity(validityDays)})`;
    return [`${label}${days}: ${formatPaise(pricePaise)}${original}`];
  }
  const server = serverSchema.safeParse(item);
  if (server.success) return [server.data.url ? `${server.data.name}: ${server.data.url}` : server.data.name];
  if (typeof item !== "object" || item === null) return [String(item)];
  return Object.entries(item).flatMap(([name, part]) => {
    if (part === null || part === undefined) return [];
    if (typeof part !== "object") return [`${nameOfField(name)}: ${String(part)}`];
    // Translations, by language and text.
    const lines = Array.isArray(part) ? [part.join(" · ")] : lineOfItem(part);
    return lines.map((line) => `${nameOfField(name)}: ${line}`);
  });
}

const changeSchema = z.object({
  section: z.enum(["store", "tools", "pages", "coupons", "accessCodes", "credentials"]),
  key: z.string(),
  name: z.string(),
  kind: z.enum(["added", "changed", "unchanged"]),
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
});

const countsSchema = z.object({ added: z.number(), changed: z.number(), unchanged: z.number() });

/** What `previewCatalogue` returns, as the browser gets it. */
export const previewSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("invalid"), problems: z.array(z.string()) }),
  z.object({
    kind: z.literal("valid"),
    changes: z.array(changeSchema),
    counts: z.record(changeSchema.shape.section, countsSchema),
    leftOut: z.object({ tools: z.number(), coupons: z.number() }),
    stock: z.object({
      listed: z.array(
        z.object({ slug: z.string(), name: z.string(), before: z.number(), after: z.number() }),
      ),
      total: z.number(),
      alone: z.number(),
      suggestion: z.enum(["keep", "change"]),
    }),
    keptCredentials: z.array(z.object({ toolName: z.string(), email: z.string() })),
    fingerprint: z.string(),
  }),
]);

export const appliedSchema = z.object({ added: z.number(), changed: z.number() });

type Change = z.output<typeof changeSchema>;
export type Preview = Extract<z.output<typeof previewSchema>, { kind: "valid" }>;

const SECTION_NAMES: Record<Change["section"], string> = {
  store: "Shop",
  tools: "Tools",
  pages: "Page access",
  coupons: "Coupon codes",
  accessCodes: "Access codes",
  credentials: "Credentials",
};

const SECTIONS = changeSchema.shape.section.options;

type Counted = Pick<Preview, "counts" | "stock">;

/** A tool whose stock alone changes is shown with the stock. */
function countsOf({ counts, stock }: Counted, section: Change["section"]) {
  const { added, changed, unchanged } = counts[section];
  const alone = section === "tools" ? stock.alone : 0;
  return { added, changed: changed - alone, unchanged: unchanged + alone };
}

/** The changes by section, without changes of stock. A large file shows only the first ones, with their `total`. */
function groupChanges({ changes, counts, stock }: Preview) {
  const others = changes.flatMap((change) => {
    if (change.section !== "tools" || change.kind !== "changed") return [change];
    const fields = change.fields.filter(({ field }) => field !== "availableStock");
    return fields.length === 0 ? [] : [{ ...change, fields }];
  });
  return SECTIONS.map((section) => {
    const { added, changed, unchanged } = countsOf({ counts, stock }, section);
    const shown = others.filter((change) => change.section === section);
    return { section, name: SECTION_NAMES[section], shown, total: added + changed, unchanged };
  });
}

/** The counts of all sections together, without tools whose stock alone changes. */
export function countKinds(preview: Counted): z.output<typeof countsSchema> {
  const sum = { added: 0, changed: 0, unchanged: 0 };
  for (const section of SECTIONS) {
    const { added, changed, unchanged } = countsOf(preview, section);
    sum.added += added;
    sum.changed += changed;
    sum.unchanged += unchanged;
  }
  return sum;
}
