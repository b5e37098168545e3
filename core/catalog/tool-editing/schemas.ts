import { z } from "zod";
import {
  checkbox,
  optionalRupees,
  optionalText,
  requiredText,
  rowId,
  rupees,
  shownVersion,
  wholeNumber,
} from "../../form-fields.ts";
import { cleanText } from "../../typed-text.ts";
import {
  isWebAddress,
  LOGO_LIMITS,
  LOGO_TOO_LARGE,
  MAX_RUPEES,
  SERVICE_LENGTH,
  SLUG_PATTERN,
  SMALLEST_PRICE_PAISE,
  TOOL_LIMITS,
  toOneLine,
} from "../limits.ts";
import { labelOfValidity, sortOptions, sortWorksOn, WORKS_ON } from "../rules.ts";

const LIMITS = TOOL_LIMITS;
const TOO_CHEAP = "The price must be at least 1 rupee.";
export const CREDENTIAL = "Choose a credential from the list.";
export const SERVICE = "Choose a service from the list.";
const VALIDITY = `Enter the validity in whole days from 1 to ${LIMITS.validityDays}.`;
const STOCK = `Enter the stock as a whole number from 0 to ${LIMITS.availableStock}.`;

const validityDays = wholeNumber(1, LIMITS.validityDays, VALIDITY);
const stock = wholeNumber(0, LIMITS.availableStock, STOCK);

const webAddress = optionalText(LIMITS.address).refine(
  (address) => address === null || isWebAddress(address),
  {
    error: "Enter an address that starts with https:// or http://.",
  },
);

/** Trimmed, without empty and repeated texts. */
const textList = (maxLength: number, maxCount: number) =>
  z
    .array(z.string().overwrite(cleanText).max(maxLength, `At most ${maxLength} characters each.`))
    .max(maxCount, `At most ${maxCount} entries.`)
    .default([])
    .transform((texts) => [...new Set(texts.filter((text) => text !== ""))]);

const place = z.enum(WORKS_ON, { error: "Choose from the list." });

/** The checkboxes that are set; a single one is sent as a text. */
const worksOn = z
  .union([z.array(place), place.transform((only) => [only])], { error: "Choose from the list." })
  .default([])
  .transform(sortWorksOn);

const pricingOption = z
  .object({
    label: optionalText(LIMITS.optionLabel),
    validityDays,
    price: rupees(MAX_RUPEES, "Enter the option’s price in rupees.").refine(
      (paise) => paise >= SMALLEST_PRICE_PAISE,
      TOO_CHEAP,
    ),
    originalPrice: optionalRupees(MAX_RUPEES),
  })
  .transform((option) => ({
    label: option.label ?? labelOfValidity(option.validityDays),
    validityDays: option.validityDays,
    pricePaise: option.price,
    originalPricePaise: option.originalPrice,
  }));

const server = z.object({
  /** The id of a server that the tool already has; a new one gets its id when it is saved. */
  id: z.string().max(LIMITS.slug).regex(SLUG_PATTERN).optional(),
  name: requiredText(LIMITS.serverName, "Enter the server’s name.").overwrite(toOneLine),
  url: webAddress,
});

/** What the form of a tool sends. Prices are rupees as text. */
const toolFields = {
  name: requiredText(LIMITS.name, "Enter the tool’s name.").overwrite(toOneLine),
  description: requiredText(LIMITS.description, "Enter a description."),
  validityDays,
  price: rupees(MAX_RUPEES, "Enter the price in rupees. 0 is free."),
  originalPrice: optionalRupees(MAX_RUPEES),
  availableStock: stock,
  isActive: checkbox,
  contactOnly: checkbox,
  features: textList(LIMITS.feature, LIMITS.features),
  worksOn,
  /** A new logo, in base64url; absent: the logo stays. */
  logoFile: z
    .string()
    .max(Math.ceil((LOGO_LIMITS.bytes * 4) / 3), LOGO_TOO_LARGE)
    .regex(/^[\w-]*$/, "The file was not received as it was sent. Choose it again.")
    .nullish()
    .transform((file) => file || null),
  removeLogo: checkbox,
  pricingOptions: z
    .array(pricingOption)
    .max(LIMITS.pricingOptions, `At most ${LIMITS.pricingOptions} options.`)
    .default([]),
  category: optionalText(LIMITS.category).transform((category) => category ?? "other"),
  badge: optionalText(LIMITS.badge),
  servers: z.array(server).max(LIMITS.servers, `At most ${LIMITS.servers} servers.`).default([]),
  howToUse: textList(LIMITS.howToUseLine, LIMITS.howToUse),
  launchUrl: webAddress,
  /** One of the list, or that of a credential. */
  credentialService: optionalText(SERVICE_LENGTH),
  /** The tool's own credential. */
  credentialId: z
    .union([rowId(CREDENTIAL), z.literal("").transform(() => null)], { error: CREDENTIAL })
    .nullish()
    .transform((id) => id ?? null),
  /** Names of purchases that open the tool's page. */
  pageNames: textList(LIMITS.name, LIMITS.pageNames),
  /** Ids of the other tools whose passes open the tool's page. */
  pageToolIds: z
    .array(rowId("Tool not found"))
    .max(LIMITS.pageTools, `At most ${LIMITS.pageTools} tools.`)
    .default([]),
};

const parsedTool = z.object(toolFields);
type ParsedTool = z.output<typeof parsedTool>;

/** The indexes of those values that an earlier one equals. Case is ignored. */
function findRepeats(values: readonly string[]): number[] {
  const lower = values.map((value) => value.toLowerCase());
  return lower.flatMap((value, at) => (lower.indexOf(value) < at ? [at] : []));
}

const BELOW_PRICE = "The original price must not be below the price.";

function checkPrices(tool: ParsedTool, report: Report): void {
  const isBelow = (original: number | null, price: number) => original !== null && original < price;
  if (tool.price > 0 && tool.price < SMALLEST_PRICE_PAISE)
    report(["price"], "The price must be 0 (free) or at least 1 rupee.");
  // With options a tool is never free.
  if (tool.price === 0 && tool.contactOnly && tool.pricingOptions.length === 0)
    report(["contactOnly"], "A free tool cannot be sold by chat only.");
  if (isBelow(tool.originalPrice, tool.price)) report(["originalPrice"], BELOW_PRICE);
  for (const [at, option] of tool.pricingOptions.entries())
    if (isBelow(option.originalPricePaise, option.pricePaise))
      report(["pricingOptions", at, "originalPrice"], BELOW_PRICE);
}

type Report = (path: (string | number)[], message: string) => void;

function checkTool(tool: ParsedTool, report: Report): void {
  checkPrices(tool, report);
  const options = tool.pricingOptions;
  for (const at of findRepeats(options.map(({ label }) => label)))
    report(["pricingOptions", at, "label"], "Another option of this tool has this label.");
  for (const at of findRepeats(options.map(({ validityDays }) => String(validityDays))))
    report(["pricingOptions", at, "validityDays"], "Another option of this tool has this validity.");
  for (const at of findRepeats(tool.servers.map(({ name }) => name)))
    report(["servers", at, "name"], "Another server of this tool has this name.");
}

/** Runs when every field is valid. Checks the fields against each other. */
function toToolInput<Tool extends ParsedTool>(tool: Tool, context: z.core.$RefinementCtx) {
  checkTool(tool, (path, message) => context.addIssue({ code: "custom", path, message }));
  const { price, originalPrice, pricingOptions, pageNames, ...same } = tool;
  const repeats = findRepeats(pageNames);
  return {
    ...same,
    pricePaise: price,
    originalPricePaise: originalPrice,
    pricingOptions: sortOptions(pricingOptions),
    pageNames: pageNames.filter((_name, at) => !repeats.includes(at)),
  };
}

export const createToolSchema = parsedTool.transform(toToolInput);

export const updateToolSchema = z
  .object({
    ...toolFields,
    toolId: rowId("Tool not found"),
    version: shownVersion,
    /** The stock that the form showed: sales meanwhile are kept. */
    shownStock: stock,
  })
  .transform(toToolInput);

export const sellWhenNotReadySchema = z.object({
  toolId: rowId("Tool not found"),
  sellsWhenNotReady: z.stringbool(),
});

export const deleteToolSchema = z.object({ toolId: rowId("Tool not found") });
