import { data, isRouteErrorResponse, redirect } from "react-router";
import { isDomainError } from "#core/errors.ts";
import { getMyPurchase } from "#core/passes/list-my-purchases.server.ts";
import { ErrorPage, errorMeta } from "../../error-page.tsx";
import { shopContext } from "../../middleware/request-context.ts";
import { NotFoundScreen } from "../../not-found-screen.tsx";
import { HelpLink } from "../../storefront/help-link.tsx";
import { Button, LinkButton } from "../../ui/button.tsx";
import { unlistedPageMeta } from "../../unlisted-page-meta.ts";
import { AccountFrame } from "../account-frame.tsx";
import type { Route } from "./+types/order-page";
import { OrderReceipt } from "./order-receipt.tsx";
import { hasReceipt } from "./order-words.ts";

/** @throws Response 404 for an order of somebody else, as for one that does not exist */
export async function loader({ params, context }: Route.LoaderArgs) {
  const ctx = context.get(shopContext);
  if (ctx.actor.kind === "visitor") throw redirect("/");
  try {
    return { order: await getMyPurchase(ctx, { purchaseId: params.purchaseId }) };
  } catch (error) {
    if (isDomainError(error, "purchase-not-found") || isDomainError(error, "invalid-input"))
      throw data(null, { status: 404 });
    throw error;
  }
}

/** Otherwise the back button would show the page again after a sign-out. */
export const headers: Route.HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export const meta: Route.MetaFunction = ({ loaderData, matches, error }) => {
  if (loaderData === undefined) return errorMeta(error);
  const { order } = loaderData;
  const screen = `${hasReceipt(order) ? "Receipt" : "Order"} for ${order.toolName}`;
  return unlistedPageMeta(matches[1].loaderData, screen);
};

/** One order of the buyer, as a receipt that prints on one page. */
export default function OrderPage({ loaderData: { order } }: Route.ComponentProps) {
  return (
    <AccountFrame className="max-w-[42rem] gap-4 py-6 sm:py-10 print:max-w-none print:p-0">
      <div className="flex flex-wrap items-center justify-between gap-2 print:hidden">
        <LinkButton to="/account#orders" variant="quiet" size="small" className="-ml-3">
          All orders
        </LinkButton>
        <Button onClick={() => window.print()}>Print</Button>
      </div>
      <OrderReceipt order={order} />
      <div className="flex justify-center print:hidden">
        <HelpLink about={`my order ${order.id}`} />
      </div>
    </AccountFrame>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  return isRouteErrorResponse(error) && error.status === 404 ? (
    <NotFoundScreen />
  ) : (
    <ErrorPage error={error} />
  );
}
