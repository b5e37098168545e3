import type { ChecklistItem } from "#core/reports/go-live-checklist.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { PhoneFold } from "../../ui/phone-fold.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { type ChecklistLine, describeItem } from "./checklist-lines.tsx";

/** What is left to do before the shop sells to real buyers. Each line goes away when it is done. */
export function GoLiveChecklist({ items }: { items: readonly ChecklistItem[] }) {
  if (items.length === 0) return null;
  const nobodyCanPay = items.some((item) => item.id === "payments" && item.mode === "not-set-up");
  return (
    <PhoneFold
      summary={
        <>
          <strong className="font-semibold">Before you go live</strong>
          <span className="text-muted"> · {items.length} left</span>
          {nobodyCanPay ? <span className="font-semibold text-red"> · nobody can pay yet</span> : null}
        </>
      }
    >
      <section aria-label="Before you go live" className="px-4 pt-1 pb-3 md:pt-3">
        <h2 className="text-base max-[719px]:hidden">
          Before you go live <span className="font-normal text-muted text-sm">· {items.length} left</span>
        </h2>
        <ul className="grid gap-x-8 md:grid-cols-2 lg:grid-cols-3">
          {items.map((item) => (
            <Line key={item.id} {...describeItem(item)} />
          ))}
        </ul>
      </section>
    </PhoneFold>
  );
}

function Line({ title, text, smallPrint, inSettings, confirm }: ChecklistLine) {
  const action = useAdminAction({
    action: "/admin",
    // The focused button is gone with its line.
    onDone: () => document.getElementById("content")?.focus({ preventScroll: true }),
  });
  return (
    <li className="flex flex-col items-start py-2">
      <h3 className="text-sm">{title}</h3>
      <p className="text-muted text-xs">{text}</p>
      {smallPrint ? <p className="mt-0.5 text-muted text-xs">{smallPrint}</p> : null}
      {inSettings || confirm ? (
        <div className="mt-1.5 flex flex-wrap gap-2">
          {inSettings ? (
            <LinkButton to="/admin/settings" size="small">
              Open Settings
            </LinkButton>
          ) : null}
          {confirm ? (
            <Button size="small" busy={action.busy} onClick={() => action.run(confirm.intent)}>
              {confirm.label}
            </Button>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}
