import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { findCheapestOption, labelOfValidity, type ToolPrices } from "#core/catalog/rules.ts";
import type { CredentialToChoose } from "#core/credentials/manage-credentials.server.ts";
import { formatPaise } from "#core/money.ts";
import { formatDays } from "#core/time.ts";

/** Texts, as the form sends them. Rupees, days. */
export interface PriceDraft {
  label: string;
  validityDays: string;
  price: string;
  originalPrice: string;
}

export interface ServerDraft {
  /** null: a server that the tool does not have yet. */
  id: string | null;
  name: string;
  url: string;
}

/** What the form of a tool shows first. */
export type ToolFormValues = ReturnType<typeof toFormValues>;

/** A tool that can be chosen. */
export interface ToolName {
  id: string;
  name: string;
}

/** What the form of a tool can choose from. */
export interface FormChoices {
  /** All tools, by name. */
  tools: readonly (ToolName & { category: string })[];
  credentials: readonly CredentialToChoose[];
}

export const NEW_TOOL: ToolFormValues = {
  name: "",
  description: "",
  logo: null,
  prices: [{ label: "", validityDays: "12", price: "0", originalPrice: "" }],
  availableStock: "0",
  stockFromCodes: false,
  isActive: true,
  features: [],
  contactOnly: false,
  category: "other",
  badge: "",
  servers: [],
  worksOn: [],
  howToUse: ["", "", ""],
  launchUrl: "",
  credentialService: "",
  credentialId: "",
  pageNames: [],
  pageToolIds: [],
  translations: {},
};

const rupeesOf = (paise: number) => (paise % 100 === 0 ? String(paise / 100) : (paise / 100).toFixed(2));
const optionalRupeesOf = (paise: number | null) => (paise === null ? "" : rupeesOf(paise));

const draftOf = (price: ToolPrices["pricingOptions"][number]): PriceDraft => ({
  label: price.label,
  validityDays: String(price.validityDays),
  price: rupeesOf(price.pricePaise),
  originalPrice: optionalRupeesOf(price.originalPricePaise),
});

/** @param tools all tools that are not deleted; an edit keeps what else opens the page */
export function toFormValues(tool: ListedTool, tools: readonly ToolName[]) {
  const known = new Set(tools.map(({ id }) => id));
  return {
    name: tool.name,
    description: tool.description,
    logo: tool.logo,
    // At least one. An older version may have stored a price of the tool's own beside its options.
    prices: (tool.pricingOptions.length > 0 ? tool.pricingOptions : [{ label: "", ...tool }]).map(draftOf),
    availableStock: String(tool.availableStock),
    stockFromCodes: tool.stockFromCodes,
    isActive: tool.isActive,
    features: tool.features,
    contactOnly: tool.contactOnly,
    category: tool.category,
    badge: tool.badge ?? "",
    servers: tool.servers.map(({ id, name, url }): ServerDraft => ({ id, name, url: url ?? "" })),
    worksOn: tool.worksOn,
    // Always three, so that the form has a field for each.
    howToUse: [0, 1, 2].map((at) => tool.howToUse[at] ?? ""),
    launchUrl: tool.launchUrl ?? "",
    credentialService: tool.credentialService ?? "",
    credentialId: tool.credentialId ?? "",
    pageNames: tool.openers.toolNames,
    pageToolIds: tool.openers.toolIds.filter((id) => id !== tool.id && known.has(id)),
    translations: tool.translations,
  };
}

/** The days of an added price, and of one whose days are left empty. */
export const DEFAULT_DAYS = "30";

/** An own label belongs to its days: with other days the price is called by them. "" without one. */
export const labelFor = ({ label, validityDays: ofDays }: PriceDraft, days: string): string =>
  days === ofDays && label !== labelOfValidity(Number(days)) ? label : "";

/** What saving changes of a tool that an older version has stored; null: only what is edited. */
export function describeSaving(tool: ListedTool): string | null {
  const { pricePaise, validityDays, pricingOptions: options } = tool;
  const cheapest = findCheapestOption(options);
  if (cheapest === undefined) return null;
  const isSold = options.some(
    (option) => option.pricePaise === pricePaise && option.validityDays === validityDays,
  );
  const label = options.length === 1 ? labelFor(draftOf(cheapest), String(cheapest.validityDays)) : "";
  const texts = [
    isSold
      ? ""
      : `The price of ${formatPaise(pricePaise)} for ${formatDays(validityDays)} is not sold today. Saving removes it, unless you add it below.`,
    cheapest.validityDays === validityDays
      ? ""
      : `Passes that you assign then last ${formatDays(cheapest.validityDays)} instead of ${formatDays(validityDays)}, as the cheapest price does.`,
    label === "" ? "" : `Saving removes the label “${label}”, because only one of several prices has one.`,
  ];
  return texts.filter((text) => text !== "").join(" ") || null;
}

/** The errors of a form by the names of its fields. */
export interface FieldErrors {
  /** The errors of one field. */
  at(name: string): readonly string[] | undefined;
  /** The errors of a list and its entries, each message once. */
  under(name: string): readonly string[];
}

export function toFieldErrors(errors: Readonly<Record<string, readonly string[]>>): FieldErrors {
  return {
    at: (name) => errors[name],
    under: (name) => [
      ...new Set(
        Object.entries(errors).flatMap(([field, messages]) =>
          field === name || field.startsWith(`${name}[`) || field.startsWith(`${name}.`) ? messages : [],
        ),
      ),
    ],
  };
}
