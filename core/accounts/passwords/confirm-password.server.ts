import type { z } from "zod";
import { addressOf, recordAudit } from "../../audit/record-audit.server.ts";
import { requireAdmin } from "../../authorise.ts";
import type { Context } from "../../context.ts";
import { isDomainError } from "../../errors.ts";
import { parseInput, type UntrustedInput } from "../../parse.ts";
import { setPasswordEnteredAt } from "../queries.server.ts";
import { credentialsSchema } from "../schemas.ts";

const confirmPasswordInput = credentialsSchema.pick({ password: true });

/**
 * The admin enters the password again, in the session of the request. For the next 15 minutes `requireAdmin`
 * accepts this session for every effect. Ten wrong passwords in one session are allowed in 15 minutes, and each is audited.
 *
 * @throws DomainError unauthenticated, forbidden, wrong-password, sign-in-rate-limited, sign-in-busy, invalid-input
 */
export async function confirmPassword(
  ctx: Context,
  input: z.input<typeof confirmPasswordInput> | UntrustedInput,
): Promise<void> {
  const { userId, email, sessionId } = requireAdmin(ctx, "own-account");
  const { password } = parseInput(confirmPasswordInput, input);
  const { authenticator, rateLimiter } = ctx.ports;
  await rateLimiter.consume("password-confirmation", sessionId);
  try {
    await authenticator.checkPassword({ email, password });
  } catch (error) {
    if (isDomainError(error, "sign-in-busy")) {
      await rateLimiter.undoConsume("password-confirmation", sessionId);
    }
    if (isDomainError(error, "wrong-password")) {
      await recordAudit(ctx, ctx.db, {
        action: "admin.password-confirmation-failed",
        subjectType: "user",
        subjectId: userId,
        details: addressOf(ctx),
      });
    }
    throw error;
  }
  await rateLimiter.reset("password-confirmation", sessionId);
  await setPasswordEnteredAt(ctx.db, sessionId, ctx.clock.now());
}
