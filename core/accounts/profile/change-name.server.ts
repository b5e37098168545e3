import { z } from "zod";
import { inTransaction } from "#db/transaction.ts";
import { recordAudit } from "../../audit/record-audit.server.ts";
import { requireSignedIn } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { NAME_MAXIMUM, NAME_MISSING } from "../form-rules.ts";
import { setDisplayName } from "../queries.server.ts";
import { cleanName } from "../schemas.ts";

const changeNameInput = z.object({
  name: z
    .string({ error: NAME_MISSING })
    // Texts from other programs bring line breaks, double spaces and invisible characters along.
    .transform(cleanName)
    .pipe(
      z
        .string()
        .min(1, NAME_MISSING)
        .max(NAME_MAXIMUM, `The name can be at most ${NAME_MAXIMUM} characters.`),
    ),
});

/**
 * A signed-in person changes the name that the shop shows. The audit event has no names: the log keeps no personal data of an
 * account that is deleted later.
 *
 * @throws DomainError unauthenticated, changes-too-fast, invalid-input
 */
export async function changeName(
  ctx: Context,
  input: z.input<typeof changeNameInput> | UntrustedInput,
): Promise<{ name: string }> {
  const { userId } = requireSignedIn(ctx, "own-account");
  const { name } = parseInput(changeNameInput, input);
  await ctx.ports.rateLimiter.consume("name-account", userId);
  await inTransaction(ctx.db, async (tx) => {
    await setDisplayName(tx, userId, name);
    await recordAudit(ctx, tx, { action: "account.renamed", subjectType: "user", subjectId: userId });
  });
  return { name };
}
