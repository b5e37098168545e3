import { ToolCardSkeleton } from "./tool-card-skeleton.tsx";
import { ToolGrid } from "./tool-grid.tsx";

const CARDS = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** Eight empty cards, while the catalogue loads. */
export function SkeletonGrid() {
  return (
    <ToolGrid>
      {CARDS.map((card) => (
        <li key={card}>
          <ToolCardSkeleton />
        </li>
      ))}
    </ToolGrid>
  );
}
