import { useState } from "react";
import type { ChecklistItem } from "#core/reports/go-live-checklist.ts";
import { Button, LinkButton } from "../../ui/button.tsx";
import { Fold } from "../../ui/regions.tsx";
import { useAdminAction } from "../forms/use-admin-action.ts";
import { SettingsLines } from "../settings-lines.tsx";
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
              running={action.busy ? running : null}
              onPress={(intent) => {
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
  /** The intent of the button that is at work; null: none is. */
  running: string | null;
  onPress: (intent: string) => void;
}

function Line({ title, text, lines, smallPrint, page, buttons = [], running, onPress }: LineProps) {
  return (
    <li className="flex min-w-0 flex-col items-start py-2">
      <h2 className="text-sm">{title}</h2>
      <p className="wrap-anywhere text-sm">{text}</p>
      {lines ? <SettingsLines lines={lines} /> : null}
      {smallPrint ? <p className="mt-0.5 text-xs opacity-80">{smallPrint}</p> : null}
      {page || buttons.length > 0 ? (
        <div className="mt-1.5 flex flex-wrap gap-2">
          {page ? (
            <LinkButton to={page.to} size="small">
              {page.label}
            </LinkButton>
          ) : null}
          {buttons.map(({ label, intent }) => (
            <Button key={intent} size="small" busy={running === intent} onClick={() => onPress(intent)}>
              {label}
            </Button>
          ))}
        </div>
      ) : null}
    </li>
  );
}
