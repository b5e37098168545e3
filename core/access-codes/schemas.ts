import { z } from "zod";

/** A code for one server of a tool; outer spaces, which pasting brings, do not belong to it. */
export const createAccessCodeSchema = z.object({
  toolId: z.uuid(),
  serverName: z.string().trim().min(1, "Enter the server's name.").max(60),
  simpleCode: z.string().trim().min(1, "Enter the simple code.").max(200),
  sessionCode: z.string().trim().min(1).max(500).optional(),
  isActive: z.boolean().default(true),
});
