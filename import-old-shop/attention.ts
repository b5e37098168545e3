import { formatPaise } from "#core/money.ts";
import type { ReportLine } from "./report.ts";

interface Group {
  text: string;
  documents: number;
  /** Passes that run now or begin later. */
  running: number;
  paise: number;
  /** The first of them. */
  names: string[];
}

/** Lines with one text are one item. An export with more different ones than this is counted beyond it. */
const MOST_GROUPS = 20_000;
const NAMED = 3;

class Groups {
  readonly #groups = new Map<string, Group>();
  beyond = 0;

  add(key: string, text: string, { collection, documentId, paise, isRunning }: ReportLine): void {
    const known = this.#groups.get(key);
    if (known === undefined && this.#groups.size >= MOST_GROUPS) {
      this.beyond += 1;
      return;
    }
    const group = known ?? { text, documents: 0, running: 0, paise: 0, names: [] };
    this.#groups.set(key, group);
    group.documents += 1;
    if (isRunning) group.running += 1;
    group.paise += paise ?? 0;
    if (group.names.length < NAMED) group.names.push(`${collection}/${documentId}`);
  }

  sorted(): Group[] {
    return [...this.#groups.values()].toSorted(
      (a, b) => b.running - a.running || b.paise - a.paise || b.documents - a.documents,
    );
  }
}

const counted = (n: number, one: string) => `${n} ${one}${n === 1 ? "" : "s"}`;
const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What the owner of an old shop reads first: what needs a person, by running passes and money; then what was repaired, folded. */
export class AttentionList {
  readonly #needed = new Groups();
  readonly #repaired = new Groups();

  add(line: ReportLine): void {
    const { kind, text } = line;
    if (kind === "refused" || kind === "changed" || kind === "warned")
      this.#needed.add(
        `${kind} ${text}`,
        kind === "refused" ? `Not imported: ${text}` : sentence(text),
        line,
      );
    // Repairs differ in the values that they quote.
    const form = text.replace(/"[^"]*"/g, "…").replace(/\d[\d.,:TZ-]*/g, "…");
    if (kind === "repaired") this.#repaired.add(form, sentence(form), line);
  }

  /** 'The shop has no tool "Canva Pro" · 14 running passes · ₹2,086.00 · user_purchases/a, … and 11 more' */
  needed(): string[] {
    const lines = this.#needed
      .sorted()
      .map(({ text, documents, running, paise, names }) =>
        [
          text,
          ...(running > 0 ? [running === 1 ? "1 running pass" : `${running} running passes`] : []),
          ...(paise > 0 ? [formatPaise(paise)] : []),
          names.join(", ") + (documents > names.length ? ` and ${documents - names.length} more` : ""),
        ].join(" · "),
      );
    return this.#needed.beyond === 0 ? lines : [...lines, `${this.#needed.beyond} more documents: see below`];
  }

  repaired(): string[] {
    return this.#repaired
      .sorted()
      .toSorted((a, b) => b.documents - a.documents)
      .map(
        ({ text, documents, names }) => `${text} · ${counted(documents, "document")}, such as ${names[0]}`,
      );
  }
}

export const CSV_HEAD = "collection,document,kind,text,running pass,rupees";

/** A line of the report for a table. A spreadsheet takes a text that begins with one of these characters for a formula. */
export function csvLine({ collection, documentId, kind, text, isRunning, paise }: ReportLine): string {
  const cell = (value: string) => `"${value.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`;
  const rupees = paise === undefined ? "" : (paise / 100).toFixed(2);
  return [collection, cell(documentId), kind, cell(text), isRunning ? "yes" : "", rupees].join(",");
}
