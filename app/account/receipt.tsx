import type { PassView } from "#core/entitlements/pass-view.ts";
import { formatPaise } from "#core/money.ts";
import { formatDate } from "#core/time.ts";
import { DateText } from "../ui/date-text.tsx";
import { Money } from "../ui/money.tsx";
import { useShared } from "../use-shared.ts";
import { sentBackWords } from "./pass-words.ts";

/** What was paid for a pass, and when; nothing for free and assigned ones. */
export function Receipt({ pass: { paidAt, amountPaise } }: { pass: PassView }) {
  const { timeZone } = useShared();
  if (paidAt === null) return null;
  return (
    <p className="text-muted text-xs">
      Paid <Money>{formatPaise(amountPaise)}</Money> on{" "}
      <DateText date={paidAt}>{formatDate(paidAt, timeZone)}</DateText>
    </p>
  );
}

/** Money that went back, or is on its way, and why. */
export function SentBack({ refund }: { refund: NonNullable<PassView["refund"]> }) {
  return (
    <p className="text-muted text-xs">
      <Money>{formatPaise(refund.amountPaise)}</Money> {sentBackWords(refund.status)}
      {refund.why === null ? null : ` · ${refund.why}`}
    </p>
  );
}
