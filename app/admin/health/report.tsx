import CircleCheck from "lucide-react/icons/circle-check";
import CircleMinus from "lucide-react/icons/circle-minus";
import CircleX from "lucide-react/icons/circle-x";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import type { ReactNode } from "react";
import { type CheckState, type HealthLine, sortBySeverity } from "#core/health/health-check.ts";
import { Badge, type BadgeTone } from "../../ui/badge.tsx";
import { Card, Skeleton } from "../../ui/card.tsx";
import { SettingsLines } from "../overview/go-live-checklist.tsx";

const STATES: Readonly<Record<CheckState, { word: string; tone: BadgeTone; Icon: typeof CircleCheck }>> = {
  failed: { word: "Failed", tone: "red", Icon: CircleX },
  warning: { word: "Warning", tone: "yellow", Icon: TriangleAlert },
  ok: { word: "Fine", tone: "green", Icon: CircleCheck },
  skipped: { word: "Not checked", tone: "neutral", Icon: CircleMinus },
};

/** The whole report in a few words. */
export function summarise(lines: readonly HealthLine[]): string {
  const count = (state: CheckState) => lines.filter((line) => line.state === state).length;
  const [failures, warnings] = [count("failed"), count("warning")];
  if (failures > 0) return failures === 1 ? "One thing is broken" : `${failures} things are broken`;
  if (warnings > 0) return warnings === 1 ? "One thing needs attention" : `${warnings} things need attention`;
  return "Everything is fine";
}

/** The lines of the report in three groups; those that say that something is wrong come first. */
export function Report({ lines }: { lines: readonly HealthLine[] }) {
  const sorted = sortBySeverity(lines);
  const wrong = sorted.filter(({ state }) => state === "failed" || state === "warning");
  return (
    <>
      <Group title="What to do" lines={wrong} />
      <Group title="Fine" lines={sorted.filter(({ state }) => state === "ok")} />
      <Group title="Not checked" lines={sorted.filter(({ state }) => state === "skipped")} />
    </>
  );
}

function Group({ title, lines }: { title: string; lines: readonly HealthLine[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="text-base">{title}</h2>
      <Card>
        <ul className="divide-y divide-line">
          {lines.map((line) => (
            <Line key={line.id} {...line} />
          ))}
        </ul>
      </Card>
    </section>
  );
}

function Line({ name, state, detail, remedy, command }: HealthLine) {
  return (
    <Row badge={<StateBadge state={state} />} name={name}>
      <p className={state === "skipped" || state === "ok" ? "text-muted" : undefined}>{detail}</p>
      {remedy === undefined ? null : <p className="mt-1 font-medium">{remedy}</p>}
      {command === undefined ? null : <SettingsLines lines={command.split("\n")} />}
    </Row>
  );
}

/** From 640 px on, a row with three columns; on phones the name and the state are above the text. */
function Row({ badge, name, children }: { badge: ReactNode; name: ReactNode; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1fr_auto] items-start gap-x-4 gap-y-1 px-4 py-3 text-sm sm:grid-cols-[8rem_11rem_1fr]">
      <div className="order-2 sm:order-none">{badge}</div>
      <h3 className="font-semibold">{name}</h3>
      <div className="wrap-anywhere order-3 col-span-full min-w-0 sm:order-none sm:col-span-1">
        {children}
      </div>
    </li>
  );
}

function StateBadge({ state }: { state: CheckState }) {
  const { word, tone, Icon } = STATES[state];
  return (
    <Badge tone={tone}>
      <Icon className="size-3.5 shrink-0" aria-hidden="true" />
      <span>{word}</span>
    </Badge>
  );
}

const LINES = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** In the place of the report until there is a first one. */
export function ReportSkeleton() {
  return (
    <Card>
      <ul aria-hidden="true" className="divide-y divide-line">
        {LINES.map((line) => (
          <Row key={line} badge={<Skeleton className="h-5 w-16" />} name={<Skeleton className="h-5 w-28" />}>
            <Skeleton className="h-5 w-3/4" />
          </Row>
        ))}
      </ul>
    </Card>
  );
}
