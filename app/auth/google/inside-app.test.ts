import { expect, test } from "vitest";
import { isInsideApp } from "./google-sign-in.ts";
import { browserAddress } from "./inside-app.tsx";

const ANDROID =
  "Mozilla/5.0 (Linux; Android 13; SM-A135F Build/TP1A; wv) AppleWebKit/537.36 Version/4.0 Chrome/131.0 Mobile Safari/537.36";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

test.each([
  ["Instagram on Android", `${ANDROID} Instagram 350.0.0.41 Android`, true],
  ["Facebook on Android", `${ANDROID} [FB_IAB/FB4A;FBAV/490.0.0.63;]`, true],
  ["another app on Android", ANDROID, true],
  ["Instagram on an iPhone", `${IPHONE} Mobile/15E148 Instagram 350.0.0 (iPhone14,5)`, true],
  ["another app on an iPhone", `${IPHONE} Mobile/15E148`, true],
  ["Safari", `${IPHONE} Version/17.5 Mobile/15E148 Safari/604.1`, false],
  ["Chrome on an iPhone", `${IPHONE} CriOS/131.0 Mobile/15E148 Safari/604.1`, false],
  ["Chrome on Android", ANDROID.replace("; wv", "").replace("Version/4.0 ", ""), false],
  ["Firefox", "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0", false],
])("Google is refused inside an app, not in a browser: %s", (_where, userAgent, expected) => {
  expect(isInsideApp(userAgent)).toBe(expected);
});

test("Google is possible in a shop on the home screen of an iPhone", () => {
  expect(isInsideApp(`${IPHONE} Mobile/15E148`, true)).toBe(false);
});

test("Android opens the page in a browser by an intent, and an iPhone has no such address", () => {
  expect(browserAddress("https://shop.example/shop/canva?q=a#x", ANDROID)).toBe(
    "intent://shop.example/shop/canva?q=a#Intent;scheme=https;action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end",
  );
  expect(browserAddress("https://shop.example/", IPHONE)).toBeNull();
});
