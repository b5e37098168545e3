/** Names that also appear in the user agents of other browsers come last. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\/|\bOPiOS\/|\bOpera\b/, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bUCBrowser\//, "UC Browser"],
  [/\bVivaldi\//, "Vivaldi"],
  [/\bYaBrowser\//, "Yandex Browser"],
  [/\bDuckDuckGo\/|\bDdg\//, "DuckDuckGo"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bCriOS\/|\b(?:Headless)?Chrome\/|\bChromium\//, "Chrome"],
  [/\bVersion\/[\d.]+.*\bSafari\//, "Safari"],
];

/** An iPad with a computer's user agent is indistinguishable from a Mac. */
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "Chromebook"],
  [/\bMac OS X\b|\bMacintosh\b/, "Mac"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

/** What a browser is called, such as "Chrome", and what it runs on, such as "Android"; null: unknown. */
export interface BrowserName {
  name: string | null;
  system: string | null;
}

/** Names a browser by the user agent that it sent. */
export function browserName(userAgent: string | null): BrowserName {
  const find = (names: readonly (readonly [RegExp, string])[]) =>
    names.find(([pattern]) => pattern.test(userAgent ?? ""))?.[1] ?? null;
  return { name: find(BROWSERS), system: find(SYSTEMS) };
}

/** Whether the browser is most likely on a phone or a tablet. */
export function isHandheld(userAgent: string | null): boolean {
  return /\b(?:Android|iPhone|iPad|Mobile)\b/.test(userAgent ?? "");
}
