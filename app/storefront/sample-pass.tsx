import { Card } from "../ui/card.tsx";
import { LogoTile } from "../ui/logo-tile.tsx";

/** A picture of a pass. Decorative, and only on wide screens. */
export function SamplePass() {
  return (
    <div aria-hidden="true" className="relative hidden select-none lg:block">
      <Card className="absolute inset-0 rotate-6 opacity-60" />
      <Card className="relative -rotate-2 shadow-float">
        <div className="flex items-center gap-3 p-5">
          <LogoTile name="Daypass" />
          <span className="flex-1 font-semibold text-base tracking-tight">Your pass</span>
          <span className="rounded-full border border-green/30 bg-green/10 px-2 py-px font-medium text-green text-xs">
            Active
          </span>
        </div>
        <div className="perforation p-5">
          <div className="h-1.5 overflow-hidden rounded-full bg-line">
            <div className="h-full w-3/5 rounded-full bg-marigold" />
          </div>
          <div className="mt-3 flex justify-between text-muted text-xs tabular-nums">
            <span>30 days</span>
            <span className="font-medium text-ink">18 days left</span>
          </div>
        </div>
      </Card>
    </div>
  );
}
