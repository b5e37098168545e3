/** Speaks its message whenever it changes, without showing it. Keep it mounted; change the message. */
export function LiveRegion({ message, urgent = false }: { message: string; urgent?: boolean }) {
  return (
    <output aria-live={urgent ? "assertive" : "polite"} aria-atomic="true" className="sr-only">
      {message}
    </output>
  );
}
