/** A small turning ring in the colour of the text. Decorative: add a text that says what is happening. */
export function Spinner({ className = "size-4" }: { className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={`${className} inline-block shrink-0 animate-[spin_700ms_linear_infinite] rounded-full border-2 border-current border-r-transparent`}
    />
  );
}
