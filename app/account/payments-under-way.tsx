import type { PassView } from "#core/entitlements/pass-view.ts";
import { formatPaise } from "#core/money.ts";
import { Banner } from "../ui/banner.tsx";
import { Money } from "../ui/money.tsx";
import { refundWords } from "./pass-words.ts";

/** Money that is neither a pass nor back yet: said plainly, before anything else. */
export function PaymentsUnderWay({
  pending,
  past,
}: {
  pending: readonly PassView[];
  past: readonly PassView[];
}) {
  const returning = past.filter((pass) => pass.refund !== null && pass.refund !== "processed");
  if (pending.length === 0 && returning.length === 0) return null;
  return (
    <div className="flex flex-col gap-3">
      {pending.map((pass) => (
        <Banner key={pass.id} tone="warning">
          <strong className="font-semibold">Payment being confirmed</strong> · {pass.toolName},{" "}
          <Money>{formatPaise(pass.amountPaise)}</Money>. If you paid, the pass appears here by itself. If you
          did not, nothing is charged.
        </Banner>
      ))}
      {returning.map((pass) => (
        <Banner key={pass.id}>
          <strong className="font-semibold">{refundWords(pass.refund)}</strong> · {pass.toolName},{" "}
          <Money>{formatPaise(pass.amountPaise)}</Money>. Banks take up to 7 days to show it.
        </Banner>
      ))}
    </div>
  );
}
