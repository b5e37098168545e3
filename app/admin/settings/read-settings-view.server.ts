import { listActiveTools } from "#core/catalog/list-active-tools.server.ts";
import { readStoreSettingsToEdit } from "#core/catalog/store-editing/read-store-settings-to-edit.server.ts";
import type { Context } from "#core/context.ts";

export type SettingsView = Awaited<ReturnType<typeof readSettingsView>>;

/** The settings, and the tools of which one can be given away. @throws DomainError 'unauthenticated', 'forbidden' */
export async function readSettingsView(ctx: Context) {
  const [settings, tools] = await Promise.all([readStoreSettingsToEdit(ctx), listActiveTools(ctx)]);
  // A free tool cannot be given away.
  const paid = tools.filter(({ pricePaise }) => pricePaise > 0);
  return { settings, tools: paid.map(({ slug, name }) => ({ slug, name })) };
}
