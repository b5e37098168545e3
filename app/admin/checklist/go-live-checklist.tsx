import { useState } from "react";
import type { ChecklistItem } from "#core/reports/go-live-checklist.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Fold } from "../../ui/fold.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { type ChecklistLine, describeItem } from "./checklist-lines.tsx";

/** What is left to do before the shop sells to real buyers. Each line goes away when it is done. */
export function GoLiveChecklist({ items }: { items: readonly ChecklistItem[] }) {
  const [running, setRunning] = useState<string | null>(null);
  // Kept here, because a line disappears before its action has ended.
  const action = useAdminAction({
    action: "/admin",
    // The focused button is gone with its line.
    onDone: () => document.getElementById("content")?.focus({ preventScroll: true }),
  });
  if (items.length === 0) return null;
  const lines = items.map((item) => ({ id: item.id, ...describeItem(item) }));
  const nobodyCanPay = items.some((item) => item.id === "payments" && item.mode === "not-set-up");
  return (
    <Fold
      urgent
      summary={
        <>
          <strong className="font-semibold">Before you go live</strong>
          <span> · {items.length} left</span>
          {nobodyCanPay ? <strong className="font-semibold text-red"> · nobody can pay yet</strong> : null}
          <span className="block truncate text-xs max-sm:hidden">
            {lines.map(({ title }) => title).join(" · ")}
          </span>
        </>
      }
    >
      <section aria-label="Before you go live" className="px-4 pb-3">
        <ul className="grid gap-x-8 md:grid-cols-2 lg:grid-cols-3">
          {lines.map(({ id, ...line }) => (
            <Line
              key={id}
              {...line}
              busy={action.busy && running === line.confirm?.intent}
              onConfirm={(intent) => {
                setRunning(intent);
                action.run(intent);
              }}
            />
          ))}
        </ul>
      </section>
    </Fold>
  );
}

interface LineProps extends ChecklistLine {
  busy: boolean;
  onConfirm: (intent: string) => void;
}

function Line({ title, text, smallPrint, tab, confirm, busy, onConfirm }: LineProps) {
  return (
    <li className="flex flex-col items-start py-2">
      <h2 className="text-sm">{title}</h2>
      <p className="text-sm">{text}</p>
      {smallPrint ? <p className="mt-0.5 text-xs opacity-80">{smallPrint}</p> : null}
      {tab || confirm ? (
        <div className="mt-1.5 flex flex-wrap gap-2">
          {tab ? (
            <LinkButton to={tab.to} size="small">
              {tab.label}
            </LinkButton>
          ) : null}
          {confirm ? (
            <Button size="small" busy={busy} onClick={() => onConfirm(confirm.intent)}>
              {confirm.label}
            </Button>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}
