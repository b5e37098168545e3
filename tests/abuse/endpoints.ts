/** A well-formed request that the abusing clients change, repeat or interrupt. */
export interface Endpoint {
  name: string;
  method?: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
const upload = { "content-type": "application/vnd.daypass.catalogue" };
/** No session has it. */
const SESSION = { cookie: "daypass.session_token=none", "sec-fetch-site": "same-origin" };
/** No device has it. */
const DEVICE_TOKEN = { authorization: `Bearer ${"A".repeat(43)}` };
const UNKNOWN_ID = "01980000-0000-7000-8000-000000000000";
const WRONG_SIGNATURE = "0".repeat(64);

/**
 * One request for every kind of response that a visitor gets. A new endpoint gets a line here.
 *
 * @param script address of a built script
 */
export function endpoints(script: string): Endpoint[] {
  return [
    { name: "home page", path: "/" },
    { name: "search", path: "/?q=chat" },
    { name: "category", path: "/?category=streaming" },
    { name: "home page data", path: "/_.data" },
    { name: "texts for the search", path: "/more-texts" },
    { name: "public page of a tool", path: "/shop/chatgpt" },
    { name: "public page of an unknown tool", path: "/shop/no-such-tool" },
    { name: "text of the owner", path: "/terms" },
    { name: "sitemap", path: "/sitemap.xml" },
    { name: "robots", path: "/robots.txt" },
    { name: "web app manifest", path: "/manifest.webmanifest" },
    { name: "page that does not exist", path: "/no/such/page" },
    { name: "home page with dot segments", path: "/checkout/../" },
    { name: "dashboard", path: "/dashboard" },
    { name: "user data", path: "/test-user-data?users=1&page=2" },
    { name: "account page", path: "/account?page=2" },
    { name: "receipt", path: `/account/orders/${UNKNOWN_ID}` },
    { name: "giveaway page", path: "/giveaway" },
    { name: "giveaway of today", path: "/giveaway/today" },
    { name: "tool page", path: "/tools/chatgpt" },
    { name: "admin page", path: "/admin" },
    { name: "admin list", path: "/admin/purchases?q=a&page=2&sort=createdAt" },
    { name: "admin list data", path: "/admin/tools.data?q=a" },
    { name: "text of a mail", path: `/admin/mail/${UNKNOWN_ID}` },
    { name: "example of a mail", path: "/admin/mail/examples/purchase-receipt/en" },
    { name: "buyers who wait for a tool", path: `/admin/tools/${UNKNOWN_ID}/waiting` },
    { name: "uses of a coupon", path: "/admin/coupons/WELCOME/usage" },
    { name: "dialog of an admin list", path: `/admin/coupons?dialog=edit&row=${UNKNOWN_ID}` },
    { name: "admin sign-in page", path: "/admin/login" },
    { name: "link of a reminder", path: `/reminders?account=${UNKNOWN_ID}&key=${WRONG_SIGNATURE}` },
    { name: "reset page", path: "/reset-password?token=none" },
    { name: "sign-in page", path: "/sign-in" },
    { name: "page of a forgotten password", path: "/forgot-password" },
    { name: "start of a sign-in with Google", path: "/api/auth/google/start?mode=popup&attempt=a" },
    { name: "answer of Google", path: "/api/auth/callback/google?code=none&state=none" },
    { name: "session", path: "/api/auth/get-session" },
    { name: "conditions of a sign-in", path: "/auth/diagnostics?probe=none" },
    { name: "provider of identities", path: "/auth/diagnostics/provider" },
    { name: "offer", path: "/checkout/offer?tool=chatgpt-pro" },
    { name: "status of a checkout", path: `/checkout/status?purchaseId=${UNKNOWN_ID}` },
    { name: "tools for a user", path: `/admin/users/${UNKNOWN_ID}/tools` },
    { name: "purchases of a user", path: `/admin/users/${UNKNOWN_ID}/purchases` },
    { name: "what the deletion of a user ends", path: `/admin/users/${UNKNOWN_ID}/deletion` },
    { name: "timeline of a purchase", path: `/admin/purchases/${UNKNOWN_ID}/timeline` },
    { name: "bulk action", path: `/admin/bulk-actions/${UNKNOWN_ID}` },
    { name: "what the cancellation of a purchase ends", path: `/admin/purchases/${UNKNOWN_ID}/cancellation` },
    { name: "script", path: script },
    { name: "icon", path: "/favicon.svg" },
    { name: "logo that does not exist", path: `/logos/${"0".repeat(32)}.png` },
    { name: "share image with another hash", path: `/share/chatgpt-${"0".repeat(16)}.png` },
    { name: "live updates", path: "/live" },
    { name: "Chrome extension", path: "/downloads/daypass-chrome.zip" },
    { name: "Firefox extension", path: "/downloads/daypass-firefox.zip" },
    { name: "checksums of the extensions", path: "/downloads/checksums.txt" },
    { name: "device status", path: "/extension/status", headers: DEVICE_TOKEN },
    { name: "process health", path: "/healthz" },
    {
      name: "question of another doctor",
      path: "/healthz",
      headers: { "x-daypass-doctor": `${"0".repeat(32)}.${WRONG_SIGNATURE}` },
    },
    { name: "database health", path: "/readyz" },
    post("sign-in form", "/auth/sign-in", form, "email=nobody%40example.com&password=wrong-password"),
    post("sign-up form", "/auth/sign-up", form, "email=nobody&password=wrong-password"),
    post("reset form", "/auth/reset", form, "email=nobody%40example.com"),
    post("sign-out form", "/auth/sign-out", form, ""),
    post("language form", "/language", form, "language=hi&returnTo=%2Fshop%2Fchatgpt"),
    post("probe cookie", "/auth/diagnostics", json, `{"probe":"${"0".repeat(32)}"}`),
    post("sign-up page", "/sign-up", form, "email=nobody&password=wrong-password"),
    post("page of a forgotten password", "/forgot-password", form, "email=nobody%40example.com"),
    post("admin form", "/admin", form, "intent=sign-in&email=nobody%40example.com&password=wrong"),
    post("connection of an access code", "/admin/access-codes/connection", form, "id=none&slug=chatgpt"),
    post("admin action", "/admin/tools", form, "intent=delete&toolId=1&options%5B0%5D.label=a"),
    post("rows of a bulk action", "/admin/bulk-actions", form, "intent=count&action=delete-users&list=q%3Da"),
    post(
      "start of a bulk action",
      "/admin/bulk-actions",
      form,
      `intent=start&action=delete-users&id=${UNKNOWN_ID}`,
    ),
    post("action after a restore", "/admin/restored-shop", form, `intent=refund&id=${UNKNOWN_ID}`),
    post("health checks again", "/admin/health", form, "intent=check-again"),
    post("mail again", "/admin/mail", form, `intent=send-again&mailId=${UNKNOWN_ID}`),
    post("sign-in API", "/api/auth/sign-in/email", json, '{"email":"nobody@example.com","password":"wrong"}'),
    post("checkout start", "/checkout/start", json, '{"slug":"chatgpt-pro"}'),
    post(
      "checkout confirmation",
      "/checkout/confirm",
      json,
      `{"gatewayOrderId":"order_none","gatewayPaymentId":"pay_none"}`,
    ),
    post("closed checkout", "/checkout/cancel", json, `{"purchaseId":"${UNKNOWN_ID}"}`),
    post("coupon", "/checkout/coupon", json, '{"slug":"chatgpt-pro","code":"GUESS"}'),
    post("access code", "/tools/chatgpt/code", form, "serverId=chatgpt-server-1"),
    post("credential", "/tools/aihumanizer/credential", form, "field=email"),
    post("report of a code", "/tools/chatgpt/report", form, "serverId=chatgpt-server-1"),
    post(
      "end of reminders",
      `/reminders?account=${UNKNOWN_ID}&key=${WRONG_SIGNATURE}`,
      form,
      "List-Unsubscribe=One-Click",
    ),
    post("stock alert", "/shop/canva/alert", json, '{"wanted":true}'),
    post("giveaway claim", "/giveaway/claim", json, `{"roundId":"${UNKNOWN_ID}"}`),
    post("devices of an account", "/dashboard/devices", form, `intent=release&deviceId=${UNKNOWN_ID}`),
    post("account form", "/account", form, "intent=password&password=wrong&newPassword=wrong-too"),
    post("data of an account", "/account/data", form, "password=wrong"),
    post("deletion of an account", "/account", form, "intent=delete&password=wrong&confirmation=DELETE"),
    { name: "page after a deletion", path: "/account/deleted" },
    post(
      "connection of a device",
      "/extension/devices",
      json,
      `{"ticket":"none","installationId":"${UNKNOWN_ID}","name":"Chrome","version":"1.0.0"}`,
    ),
    post("redemption", "/extension/redeem", { ...json, ...DEVICE_TOKEN }, '{"accessCode":"GUESS"}'),
    post(
      "code of a session",
      "/extension/code",
      { ...json, ...DEVICE_TOKEN },
      `{"sessionId":"${UNKNOWN_ID}"}`,
    ),
    post("catalogue file", "/admin/catalogue", json, '{"intent":"preview","file":"{}"}'),
    post(
      "catalogue file with a session cookie",
      "/admin/catalogue",
      { ...json, ...SESSION },
      '{"file":"{}"}',
    ),
    post(
      "upload of a catalogue file",
      "/admin/catalogue",
      { ...upload, ...SESSION },
      '{"intent":"preview"}\n{}',
    ),
    post(
      "upload of a large catalogue file",
      "/admin/catalogue",
      { ...upload, ...SESSION },
      `{"intent":"preview"}\n${" ".repeat(100_000)}`,
    ),
    post("nameless fields", "/admin/Login", { ...form, ...SESSION }, "a&".repeat(20_000)),
    {
      ...post("webhook", "/webhooks/razorpay", { ...json, "x-razorpay-signature": WRONG_SIGNATURE }, "{}"),
    },
  ];
}

function post(name: string, path: string, headers: Record<string, string>, body: string): Endpoint {
  return { name, method: "POST", path, headers, body };
}
