import { SMALLEST_PRICE_PAISE } from "#core/catalog/limits.ts";
import type { ListedTool } from "#core/catalog/list-tools-for-admin.server.ts";
import { labelOfValidity } from "#core/catalog/rules.ts";
import type { CredentialToChoose } from "#core/credentials/manage-credentials.server.ts";

/** Texts, as the form sends them. Rupees, days. */
export interface OptionDraft {
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
  tools: readonly ToolName[];
  credentials: readonly CredentialToChoose[];
}

export const NEW_TOOL: ToolFormValues = {
  name: "",
  description: "",
  logo: null,
  validityDays: "12",
  price: "0",
  originalPrice: "",
  availableStock: "0",
  stockFromCodes: false,
  isActive: true,
  features: [],
  pricingOptions: [],
  contactOnly: false,
  category: "",
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

/** @param tools all tools that are not deleted; an edit keeps what else opens the page */
export function toFormValues(tool: ListedTool, tools: readonly ToolName[]) {
  const known = new Set(tools.map(({ id }) => id));
  return {
    name: tool.name,
    description: tool.description,
    logo: tool.logo,
    validityDays: String(tool.validityDays),
    price: rupeesOf(tool.pricePaise),
    originalPrice: optionalRupeesOf(tool.originalPricePaise),
    availableStock: String(tool.availableStock),
    stockFromCodes: tool.stockFromCodes,
    isActive: tool.isActive,
    features: tool.features,
    pricingOptions: tool.pricingOptions.map((option) => ({
      label: option.label,
      validityDays: String(option.validityDays),
      price: rupeesOf(option.pricePaise),
      originalPrice: optionalRupeesOf(option.originalPricePaise),
    })),
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

const DEFAULT_OPTION_DAYS = 30;

type DraftInput = Record<"validityDays" | "price" | "originalPrice", string>;

export const NEW_OPTION: DraftInput = {
  validityDays: String(DEFAULT_OPTION_DAYS),
  price: "0",
  originalPrice: "0",
};

/** What the sub-form shows of an option. */
export function draftOf({ validityDays, price, originalPrice }: OptionDraft): DraftInput {
  return { validityDays, price, originalPrice: originalPrice || "0" };
}

/** Rupees in whole paise. */
const toRupees = (text: string) => Math.round((Number.parseFloat(text) || 0) * 100) / 100;

/**
 * The option that the sub-form describes, or why it cannot be added. What is no number falls back: the validity to 30
 * days, the prices to 0.
 *
 * @param edited the option that it replaces. It keeps its label while its validity stays the same.
 */
export function readOption(
  input: DraftInput,
  options: readonly OptionDraft[],
  edited: OptionDraft | null = null,
): { option: OptionDraft } | { problem: string } {
  const days = Number.parseInt(input.validityDays, 10);
  const validity = Number.isNaN(days) ? DEFAULT_OPTION_DAYS : days;
  const price = toRupees(input.price);
  const original = toRupees(input.originalPrice);
  if (validity <= 0) return { problem: "Enter a validity of at least 1 day." };
  if (price <= 0) return { problem: "Enter a price above 0." };
  if (price * 100 < SMALLEST_PRICE_PAISE)
    return { problem: `The price of the option for ${labelOfValidity(validity)} must be at least 1 rupee.` };
  if (original > 0 && original < price) return { problem: "The original price must not be below the price." };
  const isTaken = options.some((option) => option !== edited && Number(option.validityDays) === validity);
  if (isTaken) return { problem: `This tool already has an option for ${labelOfValidity(validity)}.` };
  const keepsLabel = edited !== null && Number(edited.validityDays) === validity;
  return {
    option: {
      label: keepsLabel ? edited.label : labelOfValidity(validity),
      validityDays: String(validity),
      price: String(price),
      originalPrice: original > 0 ? String(original) : "",
    },
  };
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
