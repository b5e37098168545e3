import { z } from "zod";
import { TOOL_LIMITS } from "../catalog/limits.ts";
import { checkbox, requiredCode, requiredText, rowId, shownVersion } from "../form-fields.ts";

/** The longest simple code. */
export const SIMPLE_CODE_LENGTH = 200;
export const SESSION_CODE_LENGTH = 500;
/** The maximum number of codes that are added at once. */
export const CODES_AT_ONCE = 500;

/** The form of `makeSessionCode`. A new code has no other: the random part keeps it from being guessed. */
const GENERATED_SESSION_CODE = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*-\d{10,16}-[0-9a-f]{32}$/u;

const toolId = rowId("Please select a tool first.");
const serverName = requiredText(TOOL_LIMITS.serverName, "Choose a server.");
const simpleCode = requiredCode(SIMPLE_CODE_LENGTH, "Enter the simple code.");

export const createAccessCodeSchema = z.object({
  toolId,
  serverName,
  simpleCode,
  /** A code of `draftSessionCode`. Absent: a code is generated. */
  sessionCode: z
    .string()
    .trim()
    .max(SESSION_CODE_LENGTH)
    .regex(GENERATED_SESSION_CODE, "Select the tool again, so that a new session code is generated.")
    .optional(),
  isActive: checkbox,
});

export const updateAccessCodeSchema = z.object({
  id: rowId(),
  version: shownVersion,
  toolId,
  serverName,
  simpleCode,
  sessionCode: requiredCode(SESSION_CODE_LENGTH, "Enter the session code."),
  isActive: checkbox,
});

/** Who gets the codes of a server: all buyers the newest one, or each buyer an own one. */
const HAND_OUTS = ["for-all", "per-buyer"] as const;

export const addSeveralAccessCodesSchema = z.object({
  toolId,
  serverName,
  handOut: z.enum(HAND_OUTS, { error: "Choose who gets these codes." }),
  /** One simple code per line. */
  lines: z
    .string({ error: "Paste one code per line." })
    .max(CODES_AT_ONCE * (SIMPLE_CODE_LENGTH + 20), "This is too long.")
    .refine((text) => text.trim() !== "", "Paste one code per line."),
});

export const accessCodeIdSchema = z.object({ id: rowId() });

export const dismissReportsSchema = z.object({
  id: rowId(),
  /** When the last report came that the list showed. */
  lastReportedAt: z.iso.datetime({ error: "Please reload the page." }).transform((text) => new Date(text)),
});

export const draftSessionCodeSchema = z.object({ toolId });

export const codesPerBuyerSchema = z.object({ toolId, serverName });
