import CircleCheck from "lucide-react/icons/circle-check";
import CircleX from "lucide-react/icons/circle-x";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Spinner } from "../../ui/button.tsx";
import type { Finding, Status } from "./findings.ts";

const LOOKS = {
  success: { icon: CircleCheck, label: "Success", colour: "text-green" },
  warning: { icon: TriangleAlert, label: "Warning", colour: "text-yellow" },
  error: { icon: CircleX, label: "Error", colour: "text-red" },
};

/** One check: its status as icon and word, what was found, and what to do. */
export function FindingItem({ name, finding }: { name: string; finding: Finding }) {
  const { status, text, action, code } = finding;
  return (
    <li data-status={status} className="flex gap-3 py-2.5 text-sm">
      <StatusIcon status={status} />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-semibold">{name}</span>
          <StatusLabel status={status} />
        </p>
        <p className="text-pretty text-muted">{text}</p>
        {action === undefined ? null : <p className="mt-1 text-pretty">{action}</p>}
        {code === undefined ? null : (
          <p className="mt-1 text-muted text-xs">
            Code for support: <code>{code}</code>
          </p>
        )}
      </div>
    </li>
  );
}

function StatusIcon({ status }: { status: Status }) {
  if (status === "pending")
    return (
      <span className="pt-0.5 text-muted">
        <Spinner />
      </span>
    );
  const { icon: Icon, colour } = LOOKS[status];
  return <Icon aria-hidden="true" className={`mt-0.5 size-4.5 shrink-0 ${colour}`} />;
}

function StatusLabel({ status }: { status: Status }) {
  const look = status === "pending" ? { label: "Pending", colour: "text-muted" } : LOOKS[status];
  return <span className={`text-xs ${look.colour}`}>{look.label}</span>;
}
