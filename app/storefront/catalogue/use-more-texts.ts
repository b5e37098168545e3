import { useState } from "react";
import { callShop } from "../../connection/shop-api.ts";
import type { MoreTexts } from "./card-texts.ts";

interface MoreTextsState {
  /** null: not loaded. The search then looks in what the cards show. */
  texts: MoreTexts | null;
  isLoading: boolean;
  /** Loads them, unless they are here or on their way. After a failure, the next call tries again. */
  load: () => void;
}

/** The texts that only the search needs. @param known those that came with the page */
export function useMoreTexts(known: MoreTexts | null): MoreTextsState {
  const [loaded, setLoaded] = useState<MoreTexts | null>(null);
  const [isLoading, setLoading] = useState(false);
  const texts = known ?? loaded;
  const load = () => {
    if (texts !== null || isLoading) return;
    setLoading(true);
    void callShop(reader, "/more-texts").then((answer) => {
      setLoading(false);
      if (answer.ok) setLoaded(answer.value);
    });
  };
  return { texts, isLoading, load };
}

const reader = {
  parse(body: unknown): MoreTexts {
    const texts = typeof body === "object" && body !== null && "texts" in body ? body.texts : null;
    if (typeof texts !== "object" || texts === null) throw new Error("the answer has no texts");
    return Object.fromEntries(Object.entries(texts).map(([slug, text]) => [slug, String(text)]));
  },
};
