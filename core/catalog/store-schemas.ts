import { z } from "zod";
import { optionalText, optionalWholeNumber, requiredText } from "../form-fields.ts";
import {
  ACCENTS,
  DEFAULT_BENEFITS,
  frameOriginOf,
  GSTIN_PATTERN,
  isOneLine,
  isWebAddress,
  normalisePhone,
  OWN_VIDEO,
  PHONE_PATTERN,
  STORE_LIMITS,
  TOOL_LIMITS,
} from "./limits.ts";
import { filledTexts, translationsForm } from "./translations.ts";

const webAddress = optionalText(TOOL_LIMITS.address).refine(
  (address) => address === null || isWebAddress(address),
  "Enter an address that starts with https:// or http://.",
);

const claim = optionalText(STORE_LIMITS.claim);
const longText = optionalText(STORE_LIMITS.text);

const { devicesPerUser, deviceReleases, giveawayValidityDays, adminIdleHours, adminSessionDays } =
  STORE_LIMITS;

/** What the owner can also write in other languages. */
const storeTexts = {
  headline: optionalText(STORE_LIMITS.headline).refine(
    (headline) => headline === null || isOneLine(headline),
    "Enter the headline on one line.",
  ),
  /** All of them, or none for the default ones. */
  benefits: z
    .array(optionalText(STORE_LIMITS.benefit))
    .max(DEFAULT_BENEFITS.length, `At most ${DEFAULT_BENEFITS.length} benefits.`)
    .default([])
    .superRefine((benefits, check) => {
      if (benefits.every((benefit) => benefit === null)) return;
      for (const [at] of DEFAULT_BENEFITS.entries())
        if ((benefits[at] ?? null) === null)
          check.addIssue({ code: "custom", path: [at], message: "Fill in all three benefits, or none." });
    })
    .transform((benefits) => benefits.flatMap((benefit) => benefit ?? [])),
  /** Plain texts. */
  texts: z.object({ terms: longText, refund: longText, privacy: longText, contact: longText }).prefault({}),
};

/** Empty: the default of the shop. */
const deviceRules = z.object({
  perUser: optionalWholeNumber(
    1,
    devicesPerUser,
    `Enter the devices per buyer as a whole number from 1 to ${devicesPerUser}.`,
  ),
  releasesPer30Days: optionalWholeNumber(
    0,
    deviceReleases,
    `Enter the releases in 30 days as a whole number from 0 to ${deviceReleases}.`,
  ),
});

/** Empty: the default of the shop. */
const adminSessions = z.object({
  idleHours: optionalWholeNumber(
    1,
    adminIdleHours,
    `Enter the hours as a whole number from 1 to ${adminIdleHours}.`,
  ),
  maxDays: optionalWholeNumber(
    1,
    adminSessionDays,
    `Enter the days as a whole number from 1 to ${adminSessionDays}.`,
  ),
});

const seller = z
  .object({
    name: optionalText(STORE_LIMITS.name),
    city: optionalText(STORE_LIMITS.city),
    since: optionalWholeNumber(1900, 2100, "Enter the year with four digits, such as 2021."),
    gstin: optionalText(15)
      .transform((gstin) => (gstin === null ? null : gstin.toUpperCase()))
      .refine(
        (gstin) => gstin === null || GSTIN_PATTERN.test(gstin),
        "Enter the 15 characters of the GSTIN, such as 27ABCDE1234F1Z5.",
      ),
  })
  .refine(({ name, city, since, gstin }) => name !== null || (city ?? since ?? gstin) === null, {
    path: ["name"],
    error: "Enter the seller’s name, or leave all fields empty.",
  });

const supportPhone = z.object({
  label: optionalText(STORE_LIMITS.label),
  /** Empty: this number is not set. */
  number: optionalText(STORE_LIMITS.typedPhone)
    .transform((number) => number && normalisePhone(number))
    .refine(
      (number) => number === null || PHONE_PATTERN.test(number),
      "Enter the number with its country code, such as +91 98765 43210.",
    ),
});

/** What the form of the store settings sends. Fields that a variable of the environment sets are ignored. */
export const storeSettingsSchema = z.object({
  name: requiredText(STORE_LIMITS.name, "Enter the store’s name.").refine(
    isOneLine,
    "Enter the store’s name on one line.",
  ),
  ...storeTexts,
  translations: translationsForm({ ...storeTexts, texts: storeTexts.texts.transform(filledTexts) }),
  accent: z.enum(ACCENTS, { error: "Choose one of the colours." }).default("marigold"),
  seller: seller.prefault({}),
  claims: z
    .object({ rating: claim, users: claim, tools: claim, satisfaction: claim, support: claim })
    .prefault({}),
  supportPhones: z
    .array(supportPhone)
    .max(STORE_LIMITS.supportPhones, `At most ${STORE_LIMITS.supportPhones} numbers.`)
    .default([]),
  dealsChannel: z.object({ label: optionalText(STORE_LIMITS.label), url: webAddress }).prefault({}),
  /** Pages of the shop may embed its host. */
  demoVideoUrl: optionalText(TOOL_LIMITS.address).refine(
    (address) => address === null || address === OWN_VIDEO || frameOriginOf(address) !== null,
    "Enter an address that starts with https://.",
  ),
  /** The slug of the tool that the daily giveaway gives away. */
  giveawayToolSlug: optionalText(TOOL_LIMITS.slug),
  /** The length of the pass that is given away. Empty: the default of the shop. */
  giveawayValidityDays: optionalWholeNumber(
    1,
    giveawayValidityDays,
    `Enter the validity in whole days from 1 to ${giveawayValidityDays}.`,
  ),
  /** The limits of installations of the browser extension. */
  devices: deviceRules.prefault({}),
  /** When admins have to sign in again. */
  adminSessions: adminSessions.prefault({}),
  /** The fingerprint of the settings that the form showed. */
  shown: z.string({ error: "Please close this form and open it again." }).max(64),
});

export type StoreSettingsInput = z.output<typeof storeSettingsSchema>;
