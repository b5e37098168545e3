import { createHash } from "node:crypto";
import type pg from "pg";

const COUNT = 50;
const BRANDS =
  "Alder Basalt Cobalt Dune Ember Fjord Garnet Harbour Indigo Juniper Kestrel Lumen Mistral Nectar Onyx Pollen Quartz Raven Saffron Tundra Umber Violet Willow Zephyr";
const KINDS =
  "Studio Notes Proxy Writer Courses Music Slides Charts Vault Meetings Translate Research Invoices Fonts Photos Sheets";
const WORDS =
  "edit plan listen learn export share track publish compare download record print search collect remove convert schedule review templates captions chapters subtitles backgrounds certificates interviews playlists citations dashboards invoices layouts animations transcripts summaries highlights bookmarks folders brushes filters lessons exercises answers sources drafts videos podcasts portraits posters contracts receipts spreadsheets diagrams timelines checklists reports surveys unlimited daily offline weekly shared private original complete advanced classic local faster quiet large";

/** Fills the shop of the demo up to fifty tools. No two have the same texts, because repeated ones would compress to nothing; theirs are as long as those of the demo. */
export async function fillWithTools(database: pg.Client): Promise<void> {
  const { rows } = await database.query("select slug from tools where deleted_at is null");
  for (let n = rows.length; n < COUNT; n++) {
    const pick = picker(n);
    const name = `${wordAt(BRANDS, n)} ${wordAt(KINDS, n * 3)}`;
    const phrase = (words: number) => {
      const text = Array.from({ length: words }, () => pick(WORDS)).join(" ");
      return text.slice(0, 1).toUpperCase() + text.slice(1);
    };
    const price = 4_900 + n * 500;
    const options = [7, 30, 90].map((days, at) => ({
      label: `${days} days`,
      validityDays: days,
      pricePaise: price * (at * 2 + 1),
      originalPricePaise: price * (at * 3 + 2),
    }));
    await database.query(
      `insert into tools (id, slug, name, description, price_paise, original_price_paise, available_stock, features,
         validity_days, category, pricing_options, works_on, sells_when_not_ready)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, $6, $7, 7, $8, $9, $10, true)`,
      [
        name.toLowerCase().replaceAll(" ", "-"),
        name,
        `${phrase(6)}. ${phrase(9)}. ${phrase(6)}.`,
        price,
        price * 2,
        (n * 7) % 40,
        JSON.stringify([4, 3, 4, 4, 3, 4].map(phrase)),
        ["Design", "AI", "Learning", "Streaming"][n % 4],
        JSON.stringify(options),
        JSON.stringify(n % 3 === 0 ? ["laptop"] : ["phone", "laptop"]),
      ],
    );
  }
  await database.query("select pg_notify('daypass_live', 'tools ' || pg_current_xact_id())");
}

function wordAt(list: string, place: number): string {
  const words = list.split(" ");
  return words[place % words.length] ?? "";
}

/** Chooses words, the same ones for the same number in every run. */
function picker(seed: number): (list: string) => string {
  let turn = 0;
  return (list) => wordAt(list, createHash("sha256").update(`${seed} ${turn++}`).digest().readUInt32BE(0));
}
