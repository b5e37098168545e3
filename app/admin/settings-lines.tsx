/** The lines that somebody adds to the settings that the shop starts with. */
export function SettingsLines({ lines }: { lines: readonly string[] }) {
  return (
    <pre className="mt-1 w-full whitespace-pre-wrap rounded-control border border-line bg-card px-2 py-1 font-mono text-ink text-xs [overflow-wrap:anywhere]">
      {lines.join("\n")}
    </pre>
  );
}

/** Where these lines belong. */
export const ADD_LINES =
  "Add these lines to the shop’s settings file (/etc/daypass.env if you followed the README), then restart the shop:";

export const MAIL_LINES = [
  "SMTP_URL=smtps://user:password@mail.example.com:465",
  'MAIL_FROM="Your Shop <shop@example.com>"',
];
