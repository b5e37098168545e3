import { useCallback, useEffect } from "react";
import { useNavigate } from "react-router";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { pendingRenewal, pendingTool } from "../../auth/pending-choice.ts";
import { useSignIn } from "../../auth/sign-in-provider.tsx";
import { usePurchase } from "../../checkout/purchase-provider.tsx";
import type { PurchaseInput } from "../../checkout/purchase-request.ts";
import { whenIdle } from "../../connection/when-idle.ts";
import { pagePath } from "../../tools/page-path.ts";
import { savesData } from "../../ui/optional-interfaces.ts";
import { useShared } from "../../use-shared.ts";

/**
 * Returns the handler for a chosen tool: a free tool opens, any other opens the purchase dialog, in which a visitor signs in.
 * For a free tool a visitor signs in first. Both continue with the chosen tool, even when the sign-in has reloaded the page.
 *
 * @param option the label of the pricing option to start with; null for the first one
 * @param couponOfLink returns the coupon of the page's address; memoised, like the one before
 * @param onSoldOut is called when the tool that was chosen on another page is sold out; memoised, because an effect depends on it
 */
export function useChooseTool(
  tools: readonly CatalogueCard[],
  option: string | null = null,
  onSoldOut?: (tool: CatalogueCard, renews?: true) => void,
  couponOfLink?: () => PurchaseInput["coupon"],
): (tool: CatalogueCard) => void {
  const { user } = useShared();
  const { openSignInFor } = useSignIn();
  const { openPurchase, preparePurchase } = usePurchase();
  const navigate = useNavigate();
  const signedIn = user !== null;

  const proceed = useCallback(
    (tool: CatalogueCard, chosen: string | null, renews?: true) => {
      if (decideCardAction(tool) === "open") void navigate(pagePath(tool.slug));
      else {
        const { slug, name, pricePaise } = tool;
        const option = chosen === null ? {} : { option: chosen };
        openPurchase({
          slug,
          name,
          price: pricePaise / 100,
          known: tool,
          ...option,
          ...(renews && { renews }),
          coupon: couponOfLink?.(),
        });
      }
    },
    [navigate, openPurchase, couponOfLink],
  );

  useEffect(() => (savesData() ? undefined : whenIdle(preparePurchase)), [preparePurchase]);

  useEffect(() => {
    if (!signedIn) return;
    const renewal = pendingRenewal.read();
    const pending = renewal ?? pendingTool.read();
    pendingRenewal.forget();
    pendingTool.forget();
    const tool = tools.find(({ slug }) => slug === pending?.id);
    if (!pending || !tool) return;
    const renews = renewal === null ? undefined : true;
    if (decideCardAction(tool) === "none") onSoldOut?.(tool, renews);
    else proceed(tool, pending.option, renews);
  }, [signedIn, tools, proceed, onSoldOut]);

  return (tool: CatalogueCard) => {
    if (!signedIn) pendingTool.remember(tool.slug, option);
    if (signedIn || decideCardAction(tool) !== "open") proceed(tool, option);
    else openSignInFor(tool);
  };
}

/** What a click on a tool's card does. The server checks the request again. */
export type CardAction = "none" | "contact" | "open" | "buy";

type CardTool = Pick<CatalogueCard, "availableStock" | "contactOnly" | "category" | "pricePaise">;

/**
 * Out of stock: nothing. A VPN that is sold in the chat only: the chat. Free: the tool's page. Everything else, also
 * other tools that are sold in the chat: the purchase dialog, which shows how each tool is bought.
 */
export function decideCardAction({
  availableStock,
  contactOnly,
  category,
  pricePaise,
}: CardTool): CardAction {
  if (availableStock <= 0) return "none";
  if (contactOnly && category === "vpn") return "contact";
  if (pricePaise === 0) return "open";
  return "buy";
}
