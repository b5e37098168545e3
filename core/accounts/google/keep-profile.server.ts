import type { Context } from "../../context.ts";
import { NAME_MAXIMUM } from "../form-rules.ts";
import { mergeProfile } from "../queries.server.ts";
import { cleanName } from "../schemas.ts";
import type { ProviderIdentity } from "./identity-provider.ts";

/** Keeps the photo of the provider, and its name for an account without one. A failed write is only logged. */
export async function keepProfile(
  ctx: Context,
  userId: string,
  { displayName, photoUrl }: Pick<ProviderIdentity, "displayName" | "photoUrl">,
): Promise<void> {
  try {
    await mergeProfile(ctx.db, userId, {
      displayName: cutName(cleanName(displayName)),
      photoUrl,
    });
  } catch (error) {
    ctx.log.warn({ userId, err: error }, "profile of the provider not stored");
  }
}

/** Nobody can be asked for a shorter one. A character of two code units is not cut in half. */
function cutName(name: string): string {
  return name.slice(0, NAME_MAXIMUM).replace(/[\uD800-\uDBFF]$/, "");
}
