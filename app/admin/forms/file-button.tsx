import { buttonClasses } from "../../ui/class-names.ts";

/** Chooses a file. The same file, corrected, can be chosen again. */
export function FileButton({
  label,
  accept,
  strong,
  disabled,
  onChoose,
}: {
  label: string;
  accept: string;
  strong: boolean;
  disabled: boolean;
  onChoose: (file: File) => void;
}) {
  return (
    <label
      className={buttonClasses(
        { variant: strong ? "strong" : "plain" },
        "cursor-pointer outline-accent outline-offset-2 has-focus-visible:outline-2",
      )}
    >
      <span>{label}</span>
      <input
        type="file"
        accept={accept}
        disabled={disabled}
        className="sr-only"
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          if (file) onChoose(file);
          event.currentTarget.value = "";
        }}
      />
    </label>
  );
}
