import { z } from "zod";
import { checkbox, optionalRupees, optionalText, requiredText, rupees, wholeNumber } from "../form-fields.ts";
import { cleanText } from "../typed-text.ts";
import * as file from "./catalogue-file/file-fields.ts";
import {
  isWebAddress,
  TOOL_LIMITS as LIMITS,
  MAX_RUPEES,
  SERVICE_LENGTH,
  SLUG_PATTERN,
  SMALLEST_PRICE_PAISE,
  toOneLine,
} from "./limits.ts";
import type { RecordField } from "./record-fields.ts";
import { labelOfValidity, sortWorksOn, WORKS_ON } from "./rules.ts";
import { toolTranslationsForm, toolTranslationsInFile } from "./translations.ts";

const TOO_CHEAP = "The price must be at least 1 rupee.";
const VALIDITY = `Enter the validity in whole days from 1 to ${LIMITS.validityDays}.`;
const STOCK = `Enter the stock as a whole number from 0 to ${LIMITS.availableStock}.`;

const validityDays = {
  form: wholeNumber(1, LIMITS.validityDays, VALIDITY),
  file: file.integerFrom(1, LIMITS.validityDays),
};

const webAddress = optionalText(LIMITS.address).refine(
  (address) => address === null || isWebAddress(address),
  {
    error: "Enter an address that starts with https:// or http://.",
  },
);

const withoutRepeats = (texts: string[]) => [...new Set(texts)];

/** Trimmed, without empty and repeated texts. */
export const textList = (maxLength: number, maxCount: number) =>
  z
    .array(z.string().overwrite(cleanText).max(maxLength, `At most ${maxLength} characters each.`))
    .max(maxCount, `At most ${maxCount} entries.`)
    .default([])
    .transform((texts) => withoutRepeats(texts.filter((text) => text !== "")));

const place = z.enum(WORKS_ON, { error: "Choose from the list." });

const pricingOption = {
  form: z
    .object({
      label: optionalText(LIMITS.optionLabel),
      validityDays: validityDays.form,
      price: rupees(MAX_RUPEES, "Enter the price in rupees.").refine(
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
    })),
  file: file.strict({
    label: file.line(LIMITS.optionLabel),
    validityDays: validityDays.file,
    price: file.payable,
    originalPrice: file.rupeeNumber.optional(),
  }),
};

const server = {
  form: z.object({
    /** The id of a server that the tool already has; a new one gets its id when it is saved. */
    id: z.string().max(LIMITS.slug).regex(SLUG_PATTERN).optional(),
    name: requiredText(LIMITS.serverName, "Enter the server’s name.").overwrite(toOneLine),
    url: webAddress,
  }),
  file: file.strict({
    id: file.slug,
    name: file.line(LIMITS.serverName),
    url: file.webAddress.optional(),
    perBuyer: file.booleanWithDefault(false),
  }),
};

/** What an admin sets of a tool in its form and in the catalogue file. */
export const TOOL_FIELDS = {
  name: {
    label: "Tool Name",
    form: requiredText(LIMITS.name, "Enter the tool’s name.").overwrite(toOneLine),
    file: file.line(LIMITS.name),
  },
  description: {
    label: "Description",
    form: requiredText(LIMITS.description, "Enter a description."),
    file: file.text(LIMITS.description),
  },
  category: {
    label: "Category",
    form: optionalText(LIMITS.category).transform((category) => category ?? "other"),
    file: file.line(LIMITS.category).default("other"),
  },
  badge: {
    label: "Badge",
    form: optionalText(LIMITS.badge),
    file: file.orNull(file.line(LIMITS.badge)),
  },
  isActive: {
    label: "Tool is active",
    changeName: "Active",
    form: checkbox,
    file: file.booleanWithDefault(true),
  },
  contactOnly: {
    label: "Sold by chat only",
    changeName: "Sold by chat only",
    form: checkbox,
    file: file.booleanWithDefault(false),
  },
  availableStock: {
    label: "Stock",
    changeName: "Stock",
    form: wholeNumber(0, LIMITS.availableStock, STOCK),
    file: file.integerFrom(0, LIMITS.availableStock).default(0),
  },
  features: {
    label: "Features",
    form: textList(LIMITS.feature, LIMITS.features),
    file: file.shortList(file.text(LIMITS.feature), LIMITS.features).transform(withoutRepeats),
  },
  validityDays: {
    label: "Validity (Days)",
    changeName: "Validity (days)",
    form: validityDays.form,
    file: validityDays.file.optional(),
  },
  price: {
    label: "Price",
    column: "pricePaise",
    form: rupees(MAX_RUPEES, "Enter the price in rupees. 0 is free."),
    file: file.payableOrFree.optional(),
  },
  originalPrice: {
    label: "Original Price",
    column: "originalPricePaise",
    form: optionalRupees(MAX_RUPEES),
    file: file.rupeeNumber.optional(),
  },
  pricingOptions: {
    label: "Pricing Options",
    /** The prices after the first one, which is that of the tool's own fields. */
    form: z
      .array(pricingOption.form)
      .max(LIMITS.pricingOptions - 1, `At most ${LIMITS.pricingOptions} prices.`)
      .default([]),
    file: file.shortList(pricingOption.file, LIMITS.pricingOptions).default([]),
  },
  servers: {
    label: "Servers",
    form: z.array(server.form).max(LIMITS.servers, `At most ${LIMITS.servers} servers.`).default([]),
    /** `checkTool` demands one without a shared sign-in. */
    file: file.shortList(server.file, LIMITS.servers).default([]),
  },
  worksOn: {
    label: "Works on",
    /** The checkboxes that are set; a single one is sent as a text. */
    form: z
      .union([z.array(place), place.transform((only) => [only])], { error: "Choose from the list." })
      .default([])
      .transform(sortWorksOn),
    file: file.listOf(file.oneOf(WORKS_ON)).default([]).transform(sortWorksOn),
  },
  howToUse: {
    label: "How to use the tool",
    form: textList(LIMITS.howToUseLine, LIMITS.howToUse),
    file: file
      .shortList(file.text(LIMITS.howToUseLine), LIMITS.howToUse)
      .transform(withoutRepeats)
      .default([]),
  },
  launchUrl: {
    label: "Tool Website",
    changeName: "Tool website",
    form: webAddress,
    file: file.orNull(file.webAddress),
  },
  /** A service of the list, or the service of a credential. */
  credentialService: {
    label: "Credential Service",
    form: optionalText(SERVICE_LENGTH),
    file: file.orNull(file.line(SERVICE_LENGTH)),
  },
  translations: { label: "Translations", form: toolTranslationsForm, file: toolTranslationsInFile },
} satisfies Record<string, RecordField>;
