import { z } from "zod";
import type { PricingOption } from "#db/tables/catalog.ts";
import { checkbox, optionalText, rowId, shownVersion } from "../../form-fields.ts";
import { LOGO_LIMITS, LOGO_TOO_LARGE, SMALLEST_PRICE_PAISE, TOOL_LIMITS } from "../limits.ts";
import { schemasOf } from "../record-fields.ts";
import { labelOfValidity, toStoredPrices } from "../rules.ts";
import { TOOL_FIELDS, textList } from "../tool-fields.ts";

export const CREDENTIAL = "Choose a credential from the list.";
export const SERVICE = "Choose a service from the list.";

/** What the form of a tool sends. Prices are rupees as text. */
const toolForm = {
  ...schemasOf(TOOL_FIELDS, "form"),
  /** The label that the first price has as an option; empty: its days. */
  optionLabel: optionalText(TOOL_LIMITS.optionLabel),
  /** A new logo, in base64url; absent: the logo stays. */
  logoFile: z
    .string()
    .max(Math.ceil((LOGO_LIMITS.bytes * 4) / 3), LOGO_TOO_LARGE)
    .regex(/^[\w-]*$/, "The file was not received as it was sent. Choose it again.")
    .nullish()
    .transform((file) => file || null),
  removeLogo: checkbox,
  /** The tool's own credential. */
  credentialId: z
    .union([rowId(CREDENTIAL), z.literal("").transform(() => null)], { error: CREDENTIAL })
    .nullish()
    .transform((id) => id ?? null),
  /** Names of purchases that open the tool's page. */
  pageNames: textList(TOOL_LIMITS.name, TOOL_LIMITS.pageNames),
  /** Ids of the other tools whose passes open the tool's page. */
  pageToolIds: z
    .array(rowId("Tool not found"))
    .max(TOOL_LIMITS.pageTools, `At most ${TOOL_LIMITS.pageTools} tools.`)
    .default([]),
};

const parsedTool = z.object(toolForm);
type ParsedTool = z.output<typeof parsedTool>;

/** The indexes of the values that equal an earlier value. Case is ignored. */
function findRepeats(values: readonly string[]): number[] {
  const lower = values.map((value) => value.toLowerCase());
  return lower.flatMap((value, at) => (lower.indexOf(value) < at ? [at] : []));
}

const BELOW_PRICE = "The original price must not be below the price.";

function checkPrices(tool: ParsedTool, report: Report): void {
  const isBelow = (original: number | null, price: number) => original !== null && original < price;
  if (tool.price > 0 && tool.price < SMALLEST_PRICE_PAISE)
    report(["price"], "The price must be 0 (free) or at least 1 rupee.");
  const isFree = tool.price === 0;
  if (isFree && tool.pricingOptions.length > 0)
    report(["price"], "Only a single price can be 0. Enter a price above 0, or remove the other prices.");
  else if (isFree && tool.contactOnly) report(["contactOnly"], "A free tool cannot be sold by chat only.");
  if (isBelow(tool.originalPrice, tool.price)) report(["originalPrice"], BELOW_PRICE);
  for (const [at, option] of tool.pricingOptions.entries())
    if (isBelow(option.originalPricePaise, option.pricePaise))
      report(["pricingOptions", at, "originalPrice"], BELOW_PRICE);
}

type Report = (path: (string | number)[], message: string) => void;

function checkTool(tool: ParsedTool, report: Report): void {
  checkPrices(tool, report);
  // The first row repeats nothing, so a repeated one is one of the options.
  const prices = pricesOf(tool);
  const sameDays = findRepeats(prices.map(({ validityDays }) => String(validityDays)));
  for (const at of sameDays)
    report(["pricingOptions", at - 1, "validityDays"], "Another price has the same number of days.");
  for (const at of findRepeats(prices.map(({ label }) => label)))
    if (!sameDays.includes(at))
      report(["pricingOptions", at - 1, "validityDays"], `Another price is called “${prices[at]?.label}”.`);
  for (const at of findRepeats(tool.servers.map(({ name }) => name)))
    report(["servers", at, "name"], "Another server of this tool has this name.");
}

/** All prices of a tool: that of its own fields, then the options. */
function pricesOf(tool: ParsedTool): [PricingOption, ...PricingOption[]] {
  const { optionLabel, validityDays, price, originalPrice, pricingOptions } = tool;
  const label = optionLabel ?? labelOfValidity(validityDays);
  return [{ label, validityDays, pricePaise: price, originalPricePaise: originalPrice }, ...pricingOptions];
}

/** Runs when every field is valid. Checks the fields against each other. */
function toToolInput<Tool extends ParsedTool>(tool: Tool, context: z.core.$RefinementCtx) {
  checkTool(tool, (path, message) => context.addIssue({ code: "custom", path, message }));
  const { price, originalPrice, optionLabel, pageNames, ...same } = tool;
  const repeats = findRepeats(pageNames);
  return {
    ...same,
    ...toStoredPrices(pricesOf(tool)),
    pageNames: pageNames.filter((_name, at) => !repeats.includes(at)),
  };
}

export const createToolSchema = parsedTool.transform(toToolInput);

export const updateToolSchema = z
  .object({
    ...toolForm,
    toolId: rowId("Tool not found"),
    version: shownVersion,
    /** The stock that the form showed: sales meanwhile are kept. */
    shownStock: TOOL_FIELDS.availableStock.form,
  })
  .transform(toToolInput);

export const sellWhenNotReadySchema = z.object({
  toolId: rowId("Tool not found"),
  sellsWhenNotReady: z.stringbool(),
});

export const deleteToolSchema = z.object({ toolId: rowId("Tool not found") });
