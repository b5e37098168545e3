import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { CatalogueCard } from "#core/catalog/on-sale.server.ts";
import { formatPaise } from "#core/money.ts";
import { MAX_COUPON_CODE, normaliseCouponCode } from "#core/typed-text.ts";
import type { LinkCouponCheck, PurchaseInput } from "../../checkout/purchase-request.ts";
import { callShop, postJson } from "../../connection/shop-api.ts";
import { t } from "../../ui/texts/texts.ts";

/** Programs that read links run the scripts of a page, too. They would use up the attempts of their address. */
const READS_LINKS = /(?<!cu)bot|crawl|spider|preview/i;
/** The refusals that are about the code. Any other one may pass by: the code is checked again before paying. */
const FINAL_REFUSALS = new Set([
  "invalid-input",
  "coupon-not-found",
  "coupon-inactive",
  "coupon-expired",
  "coupon-limit-reached",
]);

type Check =
  | { name: "none" | "checking" | "unanswered" }
  | { name: "applied"; discountPercentage: number }
  | { name: "refused"; message: string };

export interface LinkCoupon {
  /** As it is stored: upper case, without spaces. */
  code: string;
  check: Check;
}

/** The coupon of the page's address; null if there is none. */
function readLinkCoupon(): string | null {
  const code = normaliseCouponCode(new URLSearchParams(window.location.search).get("coupon") ?? "");
  // One character too many shows that it is too long.
  return code === "" ? null : code.slice(0, MAX_COUPON_CODE + 1);
}

/**
 * The coupon of the page's address, which the shop checks within its limit on attempts. Nothing is held. Null until the browser
 * has taken over the page, because a stored page is the same with each coupon.
 *
 * @param isUsable whether the tool can be bought here now
 * @returns `forPurchase` gives what the purchase dialog starts with, also before the check is answered
 */
export function useLinkCoupon(slug: string, isUsable: boolean) {
  const [coupon, setCoupon] = useState<LinkCoupon | null>(null);
  const latest = useRef(coupon);
  const running = useRef<LinkCouponCheck>(undefined);
  useEffect(() => {
    latest.current = coupon;
  });
  useEffect(() => {
    const code = readLinkCoupon();
    if (code === null) return setCoupon(null);
    const show = (check: Check) => setCoupon({ code, check });
    if (!isUsable || READS_LINKS.test(navigator.userAgent)) return show({ name: "none" });
    if (code.length > MAX_COUPON_CODE) return show({ name: "refused", message: t("Invalid coupon code") });
    const stop = new AbortController();
    show({ name: "checking" });
    const request = { ...postJson({ slug, code }), signal: stop.signal };
    running.current = callShop(discountReader, "/checkout/coupon", request).then((result) => {
      if (stop.signal.aborted) return null;
      if (result.ok) {
        show({ name: "applied", discountPercentage: result.value });
        return result.value;
      }
      const { refusal } = result;
      if (!FINAL_REFUSALS.has(refusal?.code ?? "")) show({ name: "unanswered" });
      else
        show({
          name: "refused",
          message: refusal?.code === "invalid-input" ? t("Invalid coupon code") : (refusal?.message ?? ""),
        });
      return null;
    });
    return () => stop.abort();
  }, [slug, isUsable]);
  const forPurchase = useCallback((): PurchaseInput["coupon"] => {
    const code = readLinkCoupon();
    const check = latest.current?.check;
    if (code === null || check?.name === "refused" || code.length > MAX_COUPON_CODE) return undefined;
    if (check?.name === "applied") return { code, discountPercentage: check.discountPercentage };
    return check?.name === "checking" && running.current ? { code, check: running.current } : { code };
  }, []);
  return { coupon, forPurchase };
}

/** Pages start without Zod. */
const discountReader = {
  parse(body: unknown): number {
    if (typeof body === "object" && body !== null && "discountPercentage" in body)
      return Number(body.discountPercentage);
    throw new Error("the answer to a coupon has no discount");
  },
};

/** Why no coupon can be used for a tool now; null: it can. */
export function couponObstacle({
  pricePaise,
  contactOnly,
  availableStock,
}: CatalogueCard): "free" | "chat" | "sold-out" | null {
  if (pricePaise === 0) return "free";
  if (contactOnly) return "chat";
  return availableStock <= 0 ? "sold-out" : null;
}

interface LinkCouponLineProps {
  coupon: LinkCoupon | null;
  tool: CatalogueCard;
  /** Whether the buyer has an active pass for the tool. */
  hasPass: boolean;
  /** What the chosen option costs with the coupon. */
  chargedPaise: number;
}

/** Says what the coupon of the page's address does. The region exists before its text: screen readers announce changes only. */
export function LinkCouponLine(props: LinkCouponLineProps) {
  return (
    <div role="status" className="text-sm empty:hidden">
      {props.coupon === null ? null : <Line {...props} coupon={props.coupon} />}
    </div>
  );
}

function Line({ coupon, tool, hasPass, chargedPaise }: LinkCouponLineProps & { coupon: LinkCoupon }) {
  const { check } = coupon;
  const code = coupon.code.slice(0, MAX_COUPON_CODE);
  const obstacle = couponObstacle(tool);
  if (hasPass)
    return <Note>{t("You have this pass already, so the coupon {code} isn’t used now.", { code })}</Note>;
  if (obstacle === "free")
    return <Note>{t("You don’t need the coupon {code}: this tool is free.", { code })}</Note>;
  if (obstacle === "chat")
    return <Note>{t("The coupon {code} isn’t used here: this tool is sold on WhatsApp.", { code })}</Note>;
  if (obstacle === "sold-out")
    return <Note>{t("You can use the coupon {code} when this tool is back in stock.", { code })}</Note>;
  switch (check.name) {
    case "applied":
      return (
        <p className="font-medium text-green">
          {t("{code} applied: {percentage}% off, you pay {amount}.", {
            code,
            percentage: check.discountPercentage,
            amount: formatPaise(chargedPaise),
          })}
        </p>
      );
    case "refused":
      return <p className="text-red">{`${code}: ${check.message}`}</p>;
    case "checking":
      return <Note>{t("Checking coupon…")}</Note>;
    default:
      return <Note>{t("The coupon {code} is checked before you pay.", { code })}</Note>;
  }
}

function Note({ children }: { children: ReactNode }) {
  return <p className="wrap-anywhere text-muted">{children}</p>;
}
