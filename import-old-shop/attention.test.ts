import { expect, test } from "vitest";
import { AttentionList, csvLine } from "./attention.ts";
import type { ReportLine } from "./report.ts";

const line = (documentId: string, change: Partial<ReportLine> = {}): ReportLine => ({
  collection: "user_purchases",
  documentId,
  kind: "warned",
  text: 'the shop has no tool "Canva Pro"',
  ...change,
});

test("what needs a person is listed by running passes, then by money, once for each text", () => {
  const list = new AttentionList();
  list.add(line("a", { kind: "refused", text: "it names no buyer", paise: 99_900 }));
  for (let n = 0; n < 14; n++) list.add(line(`p${n}`, { paise: 14_900, isRunning: true }));
  list.add(line("z", { collection: "tools", kind: "changed", text: "it has changed" }));
  list.add(line("n", { kind: "noted", text: "a note" }));
  list.add(line("c", { kind: "created", text: "a pass" }));
  expect(list.needed()).toEqual([
    'The shop has no tool "Canva Pro" · 14 running passes · ₹2,086 · user_purchases/p0, user_purchases/p1, user_purchases/p2 and 11 more',
    "Not imported: it names no buyer · ₹999 · user_purchases/a",
    "It has changed · tools/z",
  ]);
});

test("repairs are folded, whatever values they quote", () => {
  const list = new AttentionList();
  list.add(line("a", { kind: "repaired", text: 'amount: "₹149" read as 149' }));
  list.add(line("b", { kind: "repaired", text: 'amount: "1,499/-" read as 1499' }));
  list.add(line("c", { kind: "repaired", text: "its code is its id" }));
  expect(list.repaired()).toEqual([
    "Amount: … read as … · 2 documents, such as user_purchases/a",
    "Its code is its id · 1 document, such as user_purchases/c",
  ]);
});

test("a cell of the table is no formula and ends where it ends", () => {
  expect(csvLine(line('=HYPERLINK("x")', { text: '+1, a "name"', paise: 14_950, isRunning: true }))).toBe(
    `user_purchases,"'=HYPERLINK(""x"")",warned,"'+1, a ""name""",yes,149.50`,
  );
});
