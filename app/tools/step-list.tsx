import type { StepsOfUse } from "#core/tool-pages/steps-of-use.ts";
import { classNames } from "../ui/class-names.ts";

interface StepListProps {
  toolName: string;
  steps: StepsOfUse;
  hasExtension: boolean;
}

/** How to use the tool, numbered. */
export function StepList({ toolName, steps, hasExtension }: StepListProps) {
  const { plain, withExtension } = steps;
  return (
    <ol aria-label={`How to use ${toolName}`} className="flex flex-col gap-2 text-pretty">
      {plain.map((step, at) => (
        <li key={step} className="flex items-baseline gap-3">
          <span
            aria-hidden="true"
            className="inline-flex size-6 shrink-0 items-center justify-center rounded-full border border-line bg-card font-semibold text-xs tabular-nums"
          >
            {at + 1}
          </span>
          <StepText plain={step} withExtension={withExtension[at] ?? step} hasExtension={hasExtension} />
        </li>
      ))}
    </ol>
  );
}

interface StepTextProps {
  plain: string;
  withExtension: string;
  hasExtension: boolean;
}

/**
 * One step. The server does not know whether the extension is there, so the step for a browser with it takes its space
 * from the start: the page does not move when it appears. A phone has no extension and needs the space.
 */
function StepText({ plain, withExtension, hasExtension }: StepTextProps) {
  if (plain === withExtension) return <span className="min-w-0 wrap-anywhere">{plain}</span>;
  const className = (isShown: boolean) =>
    classNames("wrap-anywhere [grid-area:1/1]", !isShown && "invisible max-sm:hidden pointer-coarse:hidden");
  return (
    <span className="grid min-w-0">
      <span className={className(!hasExtension)}>{plain}</span>
      <span className={className(hasExtension)}>{withExtension}</span>
    </span>
  );
}
