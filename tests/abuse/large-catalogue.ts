type Query = (text: string, values: readonly unknown[]) => Promise<unknown>;

/** Copies tools until the catalogue has this number, so that its page takes long enough to be interrupted. */
export async function growCatalogue(query: Query, tools: number): Promise<void> {
  await query(
    `insert into tools (id, slug, name, description, price_paise, original_price_paise, available_stock, features,
       validity_days, category, pricing_options, servers, sells_when_not_ready)
     select gen_random_uuid(), tools.slug || '-' || copy, name || ' ' || copy, description, price_paise,
       original_price_paise, available_stock, features, validity_days, category, pricing_options, servers, true
     from generate_series(1, 50) as copy, tools where deleted_at is null and price_paise > 0
     order by copy, tools.slug limit greatest(0, $1 - (select count(*) from tools where deleted_at is null))`,
    [tools],
  );
}
