import type { MetaDescriptor } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import type { SharedData } from "../../shared-data.server.ts";
import { shopPath } from "../catalogue/catalogue-params.ts";

interface PageMeta {
  title: string;
  description: string;
  /** The path of the page without parameters. */
  path: string;
  /** The path of the picture that chat apps show, 1200 × 630. */
  image?: string;
}

/** Title, description, canonical address and the preview that chat apps show of a link. */
export function pageMeta(
  shared: SharedData,
  { title, description, path, image = "/share.png" }: PageMeta,
): MetaDescriptor[] {
  const url = shared.origin + path;
  return [
    { title },
    { name: "description", content: description },
    { tagName: "link", rel: "canonical", href: url },
    { property: "og:type", content: "website" },
    { property: "og:site_name", content: shared.store.name },
    { property: "og:title", content: title },
    { property: "og:description", content: description },
    { property: "og:url", content: url },
    { property: "og:image", content: shared.origin + image },
    { property: "og:image:width", content: "1200" },
    { property: "og:image:height", content: "630" },
    { name: "twitter:card", content: "summary_large_image" },
  ];
}

type PricedTool = Pick<
  CatalogueCard,
  "slug" | "name" | "description" | "category" | "pricePaise" | "availableStock"
>;

/** One way to buy a tool. */
interface OfferOption {
  label: string;
  pricePaise: number;
}

/** A tool as a product of schema.org. Prices in rupees. Without options it has one offer at the tool's own price. */
export function productData(origin: string, tool: PricedTool, options: readonly OfferOption[] = []): object {
  const url = origin + shopPath(tool.slug);
  const offer = (pricePaise: number, name?: string) => ({
    "@type": "Offer",
    ...(name === undefined ? {} : { name }),
    url,
    price: (pricePaise / 100).toFixed(2),
    priceCurrency: "INR",
    availability: `https://schema.org/${tool.availableStock > 0 ? "InStock" : "OutOfStock"}`,
  });
  return {
    "@type": "Product",
    name: tool.name,
    description: tool.description,
    category: tool.category,
    image: `${origin}/share.png`,
    url,
    offers:
      options.length === 0
        ? offer(tool.pricePaise)
        : options.map(({ label, pricePaise }) => offer(pricePaise, label)),
  };
}

/** Structured data for search engines (JSON-LD). */
export function structuredData(data: object): MetaDescriptor {
  return { "script:ld+json": { "@context": "https://schema.org", ...data } };
}
