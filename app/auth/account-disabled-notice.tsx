import { useShared } from "../use-shared.ts";

/** Says on every page why this browser is not signed in any more, until somebody signs in with it. */
export function AccountDisabledNotice({ message }: { message: string }) {
  const { supportChatUrl } = useShared().store;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center justify-center gap-x-3 border-red/30 border-b bg-red/10 px-4 py-1 text-center text-red text-sm print:hidden"
    >
      <p className="py-2">{message}</p>
      {supportChatUrl === null ? null : (
        <a
          href={supportChatUrl}
          target="_blank"
          rel="noreferrer"
          className="inline-flex min-h-11 items-center rounded-control font-semibold underline underline-offset-4"
        >
          Write to us
        </a>
      )}
    </div>
  );
}
