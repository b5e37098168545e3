import { z } from "zod";
import type { RevealedAccessCode } from "#core/access-codes/manage-access-codes.server.ts";

/** What the action `reveal` answers: an access code with its whole session code. */
export const revealedSchema = z.object({
  id: z.string(),
  version: z.number(),
  toolId: z.string(),
  serverName: z.string(),
  isActive: z.boolean(),
  simpleCode: z.string(),
  sessionCode: z.string(),
});

/** What the form of an access code is opened with. */
export interface EditedAccessCode extends RevealedAccessCode {
  toolName: string;
}
