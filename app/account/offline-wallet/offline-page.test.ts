import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { afterEach, expect, test } from "vitest";
import type { PassView } from "#core/passes/list-my-passes.server.ts";
import { addDays, HOUR } from "#core/time.ts";
import type { SharedData } from "../../shared-data.server.ts";
import hindi from "../../ui/texts/hi.json" with { type: "json" };
import { addCatalogue, followLanguage } from "../../ui/texts/texts.ts";
import { HINDI_WITHOUT_WALLET, offlinePage } from "./offline-page.ts";
import { type StoredWallet, toStoredWallet } from "./stored-wallet.ts";

afterEach(() => followLanguage(() => "en"));

const SHOWN_AT = new Date("2026-11-26T09:45:00Z");

const PASS: PassView = {
  id: "0198-purchase",
  orderNumber: "K7TQ2M9X",
  toolName: "Canva",
  toolSlug: "canva",
  onSale: true,
  isSold: true,
  contactOnly: false,
  worksOn: ["phone"],
  optionLabel: "30 Days",
  validityDays: 30,
  source: "checkout",
  startsAt: addDays(SHOWN_AT, -2),
  expiresAt: addDays(SHOWN_AT, 28),
  renewedUntil: null,
  badge: "Active",
  endedReason: null,
  amountPaise: 14_900,
  paidPaise: 14_900,
  paidAt: SHOWN_AT,
  paymentSeen: true,
  refunds: [{ status: "processed", amountPaise: 1100, at: SHOWN_AT, why: "a part" }],
  declined: false,
  uncapturedPayment: null,
};

const SHARED: Pick<SharedData, "store" | "timeZone"> = {
  timeZone: "Asia/Kolkata",
  store: {
    name: "Asha’s Tools",
    headline: null,
    accent: "mint",
    benefits: null,
    seller: null,
    claims: [],
    claimsAreExamples: false,
    supportPhones: [],
    dealsChannel: null,
    demoVideoUrl: null,
    pages: [],
    hasGiveaway: false,
    supportChatUrl: null,
  },
};

const walletOf = (...passes: Partial<PassView>[]): StoredWallet =>
  toStoredWallet(
    passes.map((pass) => ({ ...PASS, ...pass })),
    SHOWN_AT,
    SHARED,
  );

/** The words that the page shows, without its styles. */
async function wordsOf(
  wallet: StoredWallet | null,
  now = SHOWN_AT,
  isShopDown = false,
  languages: readonly string[] = ["en-IN"],
): Promise<string> {
  const html = await offlinePage(wallet, { now, isShopDown, languages }).text();
  return textsIn(parse(html)).join(" ").replace(/\s+/g, " ");
}

function textsIn(node: DefaultTreeAdapterTypes.Node): string[] {
  if (node.nodeName === "head") return [];
  if ("value" in node) return [node.value];
  return "childNodes" in node ? node.childNodes.flatMap(textsIn) : [];
}

test("the stored wallet has the name, the times and the order number of each pass, and nothing else", () => {
  const wallet = walletOf({});
  expect(wallet).toEqual({
    shopName: "Asha’s Tools",
    accent: "mint",
    timeZone: "Asia/Kolkata",
    language: "en",
    texts: expect.objectContaining({ "You are offline": "You are offline" }),
    shownAt: SHOWN_AT.getTime(),
    passes: [
      {
        toolName: "Canva",
        orderNumber: "K7TQ2M9X",
        startsAt: PASS.startsAt.getTime(),
        endsAt: PASS.expiresAt.getTime(),
      },
    ],
  });
});

test("the page says that there is no connection, from when the passes are, and when each one ends", async () => {
  const words = await wordsOf(walletOf({}));
  expect(words).toContain("You are offline");
  expect(words).toContain("These are your passes as of 26/11/26, 15:15.");
  expect(words).toContain("Canva Active Ends 24/12/26, 15:15 · 28 days left Order number K7TQ2M9X");
});

test("a pass whose end has passed by the clock of the device has ended, and comes last", async () => {
  const wallet = walletOf({ expiresAt: new Date(SHOWN_AT.getTime() + HOUR) }, { toolName: "QuillBot" });
  const before = await wordsOf(wallet);
  expect(before).toContain("Canva Active Ends 26/11/26, 16:15 · 1 h 0 min left");
  const after = await wordsOf(wallet, new Date(SHOWN_AT.getTime() + HOUR));
  expect(after).toContain("Canva Expired Ended 26/11/26, 16:15 Order number");
  expect(after.indexOf("QuillBot")).toBeLessThan(after.indexOf("Canva"));
});

test("a pass for a lifetime has no end and no days left", async () => {
  const words = await wordsOf(walletOf({ expiresAt: new Date("9999-12-31T00:00:00Z") }));
  expect(words).toContain("Canva Active No end Order number K7TQ2M9X");
});

test("a clock that was set back makes no pass longer", async () => {
  const words = await wordsOf(walletOf({}), addDays(SHOWN_AT, -300));
  expect(words).toContain("28 days left");
});

test("a pass with a renewal ends with the renewal, and one that has not begun says when it starts", async () => {
  const renewed = await wordsOf(walletOf({ renewedUntil: addDays(SHOWN_AT, 58) }), addDays(SHOWN_AT, 30));
  expect(renewed).toContain("Canva Active Ends 23/01/27, 15:15 · 28 days left");
  const waiting = await wordsOf(walletOf({ startsAt: addDays(SHOWN_AT, 1), badge: "Waiting" }));
  expect(waiting).toContain("Canva Starts later Starts 27/11/26, 15:15 Ends 24/12/26, 15:15 Order number");
});

test("a shop that does not respond is not called a missing connection", async () => {
  const words = await wordsOf(walletOf({}), SHOWN_AT, true);
  expect(words).toContain("The shop is not responding These are your passes as of 26/11/26, 15:15.");
  expect(words).not.toContain("offline");
});

test("without a stored wallet, or without a pass in it, the page says what to do and offers to try again", async () => {
  expect(await wordsOf(null)).toContain(
    "Connect to the internet, then sign in to see your passes. Try again",
  );
  expect(await wordsOf(walletOf())).toContain("As of 26/11/26, 15:15, you had no active pass. Try again");
});

test("a wallet that was shown in Hindi is in Hindi, and so is every text of the page", async () => {
  addCatalogue("hi", hindi);
  followLanguage(() => "hi");
  const wallet = walletOf({}, { expiresAt: SHOWN_AT }, { startsAt: addDays(SHOWN_AT, 1), badge: "Waiting" });
  addCatalogue("hi", {});
  followLanguage(() => "en");
  const names = /Asha’s|Tools|Canva|\bCa\b|K7TQ2M9X/g;
  for (const isShopDown of [true, false]) {
    const words = (await wordsOf(wallet, SHOWN_AT, isShopDown)).replaceAll(names, "");
    expect(words).not.toMatch(/[a-z]/i);
    expect(words).toContain("28 दिन बाकी");
  }
  expect(await offlinePage(wallet, { now: SHOWN_AT, isShopDown: false, languages: [] }).text()).toContain(
    'lang="hi-IN"',
  );
  expect(await wordsOf({ ...wallet, passes: [] })).toContain("26/11/26, 15:15");
});

test("without a stored wallet the page is in the first language of the browser that the shop has", async () => {
  const ofLanguages = (...languages: string[]) => wordsOf(null, SHOWN_AT, false, languages);
  expect(hindi).toMatchObject(HINDI_WITHOUT_WALLET);
  const inHindi = await ofLanguages("ta-IN", "hi-IN", "en");
  expect(inHindi).not.toMatch(/[a-z]/i);
  expect(inHindi).toContain("आप ऑफ़लाइन हैं अपने सभी पास देखने के लिए इंटरनेट चालू करें, फिर साइन इन करें। फिर कोशिश करें");
  for (const languages of [["en-IN", "hi"], ["ta-IN"], []])
    expect(await ofLanguages(...languages)).toContain("You are offline Connect to the internet");
});

test("names with markup are shown as text, and the page runs no scripts and sends no forms", async () => {
  const wallet = walletOf({ toolName: `<img src=x onerror="alert('1')">&` });
  const page = offlinePage(
    { ...wallet, shopName: "</style><script>" },
    { now: SHOWN_AT, isShopDown: false, languages: [] },
  );
  const html = await page.text();
  expect(html).toContain("&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;");
  expect(html).not.toContain("<img");
  expect(html).not.toContain("<script");
  const policy = page.headers.get("content-security-policy");
  expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-[\w-]{36}';/);
  expect(policy).not.toContain("script-src");
  expect(policy).toContain("form-action 'none'");
});
