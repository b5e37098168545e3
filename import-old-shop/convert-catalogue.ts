import { SESSION_CODE_LENGTH, SIMPLE_CODE_LENGTH } from "#core/access-codes/schemas.ts";
import { EMAIL_MAXIMUM } from "#core/accounts/rules.ts";
import {
  COUPON_CODE_PATTERN,
  COUPON_LIMITS,
  SERVICE_LENGTH,
  SERVICES,
  TOOL_LIMITS,
  toOneLine,
} from "#core/catalog/limits.ts";
import { normaliseCouponCode } from "#core/typed-text.ts";
import { type Conversion, endOf, FieldReader, fitText } from "./field-reader.ts";
import type { OldDocument } from "./source.ts";

export interface ConvertedCredential {
  service: string;
  email: string;
  password: string;
  isActive: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
}

export function convertCredential(document: OldDocument, timeZone: string): Conversion<ConvertedCredential> {
  const reader = new FieldReader(document, timeZone);
  const typed = reader.text("service", "serviceName", "tool", "toolName", "platform", "site", "name");
  const email = reader.text(
    "email",
    "emailAddress",
    "emailId",
    "mail",
    "username",
    "userName",
    "login",
    "user",
  );
  const password = reader.exactText("password", "pass", "passwd", "pwd", "passcode", "secret");
  if (typed === null) return { refused: "it names no service" };
  if (email === null) return { refused: "it has no e-mail address" };
  if (password === null) return { refused: "it has no password" };
  const letters = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z0-9]/g, "")
      .replace(/pro$/, "");
  const service = SERVICES.find((listed) => letters(listed) === letters(typed)) ?? typed;
  if (service !== typed) reader.repairs.push(`the service "${typed}" is ${service}`);
  return {
    row: {
      service: fitText(reader, "service", toOneLine(service), SERVICE_LENGTH),
      email: fitText(reader, "email", toOneLine(email), EMAIL_MAXIMUM),
      password,
      isActive: activeUnlessSaid(reader),
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs: reader.repairs,
  };
}

/** The old shop treated codes, coupons and credentials as active unless a field said otherwise. */
const activeUnlessSaid = (reader: FieldReader): boolean =>
  reader.boolean("isActive", "active", "enabled") ?? true;

export interface ConvertedAccessCode {
  toolName: string;
  /** null: the document names none. */
  serverName: string | null;
  simpleCode: string;
  /** null: a code is generated. */
  sessionCode: string | null;
  isActive: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
}

export function convertAccessCode(document: OldDocument, timeZone: string): Conversion<ConvertedAccessCode> {
  const reader = new FieldReader(document, timeZone);
  const toolName = reader.text("toolName", "tool", "toolId", "name");
  const simpleCode = reader.exactText("simpleCode", "code", "accessCode")?.trim();
  const sessionCode = reader.exactText("sessionCode", "session")?.trim();
  const serverName = reader.text("serverName", "server");
  if (toolName === null) return { refused: "it names no tool" };
  if (!simpleCode) return { refused: "it has no simple code" };
  if (simpleCode.length > SIMPLE_CODE_LENGTH) return { refused: "its simple code is too long" };
  const isTooLong = sessionCode !== undefined && sessionCode.length > SESSION_CODE_LENGTH;
  if (!sessionCode || isTooLong) reader.repairs.push("it has no usable session code, so one was generated");
  return {
    row: {
      toolName,
      serverName:
        serverName === null
          ? null
          : fitText(reader, "serverName", toOneLine(serverName), TOOL_LIMITS.serverName),
      simpleCode,
      sessionCode: isTooLong ? null : sessionCode || null,
      isActive: activeUnlessSaid(reader),
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs: reader.repairs,
  };
}

export interface ConvertedCoupon {
  code: string;
  toolName: string;
  discountPercentage: number;
  isActive: boolean;
  usageLimit: number | null;
  /** The larger of both counters of the old shop. */
  uses: number;
  expiresAt: Date | null;
  lastUsed: Date | null;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** In one flow of the old shop the id of the document is the code. */
export function convertCoupon(document: OldDocument, timeZone: string): Conversion<ConvertedCoupon> {
  const reader = new FieldReader(document, timeZone);
  const typed = reader.text("code", "couponCode");
  if (typed === null) reader.repairs.push("its code is its id");
  const code = normaliseCouponCode(typed ?? document.id);
  if (typed !== null && code !== typed) reader.repairs.push(`its code is ${code}`);
  const isCode = code.length <= COUPON_LIMITS.code && COUPON_CODE_PATTERN.test(code);
  if (!isCode) return { refused: "its code has characters that a buyer cannot enter, or is too long" };
  const toolName = reader.text("toolName", "tool", "toolId");
  if (toolName === null) return { refused: "it names no tool" };
  const discount = convertDiscount(reader);
  if (discount === null) return { refused: "it has no discount of at least 1 percent" };
  const limit = reader.number("usageLimit", "limit", "maxUses");
  const usageLimit =
    limit === null || limit < 1 ? null : Math.min(Math.floor(limit), COUPON_LIMITS.usageLimit);
  if (limit !== null && limit !== usageLimit)
    reader.repairs.push(`a usage limit of ${limit} is ${usageLimit ?? "unlimited"}`);
  const counters = ["timesUsed", "usedCount", "usageCount"].flatMap((name) => reader.number(name) ?? []);
  const uses = Math.min(Math.max(0, ...counters.map(Math.floor)), COUPON_LIMITS.usageLimit);
  if (new Set(counters).size > 1)
    reader.repairs.push(`its usage counters differ; the largest, ${uses}, is used`);
  const expiry = reader.moment("expiresAt", "expiryDate", "expiry", "validUntil");
  const isActive = activeUnlessSaid(reader);
  // Without its limit or its end it would give more than before.
  const isTooMuch = discount > 100;
  if (isTooMuch)
    reader.check(
      `its discount of ${discount} percent is more than the price, so it is inactive with 100 percent`,
    );
  const isDoubtful = reader.unreadable.size > 0;
  if (isDoubtful) reader.repairs.push("it is inactive, because one of its fields cannot be read");
  return {
    row: {
      code,
      toolName,
      discountPercentage: Math.min(discount, 100),
      isActive: isActive && !isDoubtful && !isTooMuch,
      usageLimit,
      uses,
      expiresAt: expiry === null ? null : endOf(expiry),
      lastUsed: reader.moment("lastUsed")?.value ?? null,
      createdAt: reader.moment("createdAt")?.value ?? null,
      updatedAt: reader.moment("updatedAt")?.value ?? null,
    },
    repairs: reader.repairs,
  };
}

function convertDiscount(reader: FieldReader): number | null {
  const names = ["discountPercentage", "discountPercent", "percentage", "discount"];
  const typed = reader.number(...names);
  if (typed === null || /₹|rs|inr/i.test(String(reader.raw(...names)?.value))) return null;
  const other = reader.number("discount");
  if (other !== null && other !== typed)
    reader.repairs.push(`it has two discounts, ${typed} and ${other}; the first is used`);
  const whole = Math.floor(typed + 0.5);
  if (whole < 1) return null;
  if (whole !== typed) reader.repairs.push(`a discount of ${typed} percent became ${whole}`);
  return whole;
}
