import { z } from "zod";

const changeSchema = z.object({
  section: z.enum(["store", "tools", "pages", "coupons", "accessCodes", "credentials"]),
  key: z.string(),
  name: z.string(),
  kind: z.enum(["added", "changed", "unchanged"]),
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
});

/** What `previewCatalogue` returns, as the browser gets it. */
export const previewSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("invalid"), problems: z.array(z.string()) }),
  z.object({
    kind: z.literal("valid"),
    changes: z.array(changeSchema),
    leftOut: z.object({ tools: z.number(), coupons: z.number() }),
    fingerprint: z.string(),
  }),
]);

export const appliedSchema = z.object({ added: z.number(), changed: z.number() });

export type Change = z.output<typeof changeSchema>;
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

/** The changes by section. Unchanged entries are counted only. */
export function groupChanges(changes: readonly Change[]) {
  return SECTIONS.map((section) => {
    const all = changes.filter((change) => change.section === section);
    const shown = all.filter(({ kind }) => kind !== "unchanged");
    return { section, name: SECTION_NAMES[section], shown, unchanged: all.length - shown.length };
  });
}

export function countKinds(changes: readonly Change[]): Record<Change["kind"], number> {
  const counts = { added: 0, changed: 0, unchanged: 0 };
  for (const { kind } of changes) counts[kind] += 1;
  return counts;
}
