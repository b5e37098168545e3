import X from "lucide-react/icons/x";

interface ChipsProps {
  /** What the chips are, for screen readers. */
  label: string;
  items: readonly { value: string; text: string }[];
  onRemove: (value: string) => void;
  /** The field that the values are sent as: `name[0]`, `name[1]` and so on. */
  name: string;
}

/** Chosen values. Each can be removed. */
export function Chips({ label, items, onRemove, name }: ChipsProps) {
  if (items.length === 0) return null;
  return (
    <ul aria-label={label} className="flex max-h-96 flex-wrap gap-2 overflow-y-auto">
      {items.map(({ value, text }, at) => (
        <li
          key={value}
          className="inline-flex min-h-9 max-w-full items-center rounded-full border border-line bg-paper pl-3 text-sm"
        >
          <span className="min-w-0 break-words">{text}</span>
          <input type="hidden" name={`${name}[${at}]`} value={value} />
          <button
            type="button"
            aria-label={`Remove ${text}`}
            title={`Remove ${text}`}
            onClick={() => onRemove(value)}
            className="inline-flex size-9 shrink-0 items-center justify-center rounded-full text-muted transition-colors duration-150 hover:bg-ink/5 hover:text-ink"
          >
            <X className="size-4" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}
