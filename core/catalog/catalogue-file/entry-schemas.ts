import { z } from "zod";
import { EMAIL_PATTERN, signInAddress } from "../../typed-text.ts";
import {
  ACCENTS,
  DEFAULT_BENEFITS,
  GSTIN_PATTERN,
  isOneLine,
  OWN_VIDEO,
  PHONE_PATTERN,
  SERVICE_LENGTH,
  STORE_LIMITS,
  TOOL_LIMITS,
  toOneLine,
} from "../limits.ts";
import { schemasOf } from "../record-fields.ts";
import { TOOL_FIELDS } from "../tool-fields.ts";
import { translationsInFile } from "../translations.ts";
import {
  booleanWithDefault,
  code,
  integerFrom,
  line,
  listOf,
  missingOr,
  oneOf,
  slug,
  strict,
  text,
  webAddress,
} from "./file-fields.ts";

/* The schemas of the entries of a catalogue file. */

const claim = text(STORE_LIMITS.claim).optional();
const longText = text(STORE_LIMITS.text).optional();

/** What the owner can also write in other languages. */
const storeTexts = {
  headline: text(STORE_LIMITS.headline).refine(isOneLine, "must be one line").optional(),
  benefits: listOf(text(STORE_LIMITS.benefit))
    .length(DEFAULT_BENEFITS.length, `must list ${DEFAULT_BENEFITS.length}`)
    .optional(),
  texts: strict({ terms: longText, refund: longText, privacy: longText, contact: longText }).optional(),
};

export const storeTranslationsSchema = translationsInFile(strict(storeTexts));

export const storeSchema = strict({
  name: text(STORE_LIMITS.name).refine(isOneLine, "must be one line"),
  claims: strict({ rating: claim, users: claim, tools: claim, satisfaction: claim, support: claim }).default(
    {},
  ),
  /** The claims are examples: the shop says so where it shows them. */
  claimsAreExamples: z.boolean({ error: "must be true or false, without quotes" }).optional(),
  ...storeTexts,
  translations: storeTranslationsSchema,
  accent: oneOf(ACCENTS).optional(),
  seller: strict({
    name: text(STORE_LIMITS.name),
    city: text(STORE_LIMITS.city).optional(),
    since: integerFrom(1900, 2100).optional(),
    gstin: text(15).regex(GSTIN_PATTERN, "must have 15 characters, such as 27ABCDE1234F1Z5").optional(),
  }).optional(),
  supportPhones: listOf(
    strict({
      label: text(STORE_LIMITS.label),
      number: text(16).regex(
        PHONE_PATTERN,
        "must be + and the country code and number in digits, such as +919876543210",
      ),
    }),
  ).default([]),
  dealsChannel: strict({ label: text(STORE_LIMITS.label), url: webAddress }).optional(),
  demoVideoUrl: z.literal(OWN_VIDEO).or(webAddress).optional(),
  giveawayToolSlug: slug.optional(),
  giveawayValidityDays: integerFrom(1, STORE_LIMITS.giveawayValidityDays).optional(),
  devices: strict({
    perUser: integerFrom(1, STORE_LIMITS.devicesPerUser).optional(),
    releasesPer30Days: integerFrom(0, STORE_LIMITS.deviceReleases).optional(),
  }).optional(),
  adminSessions: strict({
    idleHours: integerFrom(1, STORE_LIMITS.adminIdleHours).optional(),
    maxDays: integerFrom(1, STORE_LIMITS.adminSessionDays).optional(),
  }).optional(),
});

/** The schema of the stored settings: a name that was stored with line breaks is read as one line. */
export const storedStoreSchema = storeSchema.extend({ name: text(STORE_LIMITS.name).transform(toOneLine) });

export const toolSchema = strict({ slug, ...schemasOf(TOOL_FIELDS, "file") });

export const pageSchema = strict({
  page: slug,
  toolSlugs: listOf(slug).default([]),
  names: listOf(line(TOOL_LIMITS.name)).default([]),
});

export const accessCodeSchema = strict({
  toolSlug: slug,
  serverName: line(TOOL_LIMITS.serverName),
  simpleCode: code(200),
  sessionCode: code(500).optional(),
  perBuyer: booleanWithDefault(false),
  isActive: booleanWithDefault(true),
});

export const credentialSchema = strict({
  service: line(SERVICE_LENGTH),
  email: z
    .string({ error: missingOr("must be an e-mail address") })
    .overwrite(signInAddress)
    .pipe(z.email({ pattern: EMAIL_PATTERN, error: "must be an e-mail address" })),
  password: z
    .string({ error: missingOr("must be text in double quotes") })
    .min(1, "must not be empty")
    .max(500, "must be at most 500 characters long"),
  isActive: booleanWithDefault(true),
});
