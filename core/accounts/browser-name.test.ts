import { expect, test } from "vitest";
import { browserName, isHandheld } from "./browser-name.ts";

const WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)";
const MOBILE = `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT}`;
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`;
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

test.each<[string | null, string | null, string | null, boolean]>([
  [`${MOBILE} Chrome/141.0.0.0 Mobile Safari/537.36`, "Chrome", "Android", true],
  [
    `${MOBILE} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    "Samsung Internet",
    "Android",
    true,
  ],
  [WINDOWS, "Chrome", "Windows", false],
  [`${WINDOWS} Edg/141.0.0.0`, "Edge", "Windows", false],
  [`${WINDOWS} OPR/120.0.0.0`, "Opera", "Windows", false],
  [`${IPHONE} Version/18.6 Mobile/15E148 Safari/604.1`, "Safari", "iPhone", true],
  [`${IPHONE} CriOS/141.0.0.0 Mobile/15E148 Safari/604.1`, "Chrome", "iPhone", true],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15",
    "Safari",
    "Mac",
    false,
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux", false],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`,
    "Chrome",
    "Chromebook",
    false,
  ],
  ["curl/8.5.0", null, null, false],
  ["Mozilla/5.0 (Windows NT 10.0)", null, "Windows", false],
  ["", null, null, false],
  [null, null, null, false],
])("the user agent %s is %s on %s", (userAgent, name, system, handheld) => {
  expect(browserName(userAgent)).toEqual({ name, system });
  expect(isHandheld(userAgent)).toBe(handheld);
});
