/** An address of the shop that abusing clients try, and what it answers when it is asked properly. */
export interface Endpoint {
  name: string;
  kind: "page" | "data" | "json" | "asset" | "webhook" | "health";
  method?: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };
const WRONG_SIGNATURE = "0".repeat(64);

/**
 * Every kind of answer the shop gives to strangers. A new endpoint joins the abuse corpus by a line here.
 *
 * @param script address of a built script
 */
export function endpoints(script: string): Endpoint[] {
  return [
    { name: "home page", kind: "page", path: "/" },
    { name: "search", kind: "page", path: "/?q=chat" },
    { name: "home page data", kind: "data", path: "/_.data" },
    { name: "page that does not exist", kind: "page", path: "/no/such/page" },
    { name: "dashboard", kind: "page", path: "/dashboard" },
    { name: "tool page", kind: "page", path: "/tools/chatgpt" },
    { name: "admin page", kind: "page", path: "/admin" },
    { name: "admin sign-in page", kind: "page", path: "/admin/login" },
    { name: "reset page", kind: "page", path: "/reset-password?token=none" },
    { name: "session", kind: "json", path: "/api/auth/get-session" },
    { name: "offer", kind: "json", path: "/checkout/offer?tool=chatgpt-pro" },
    { name: "script", kind: "asset", path: script },
    { name: "icon", kind: "asset", path: "/favicon.svg" },
    { name: "process health", kind: "health", path: "/healthz" },
    { name: "database health", kind: "health", path: "/readyz" },
    post("sign-in form", "/auth/sign-in", form, "email=nobody%40example.com&password=wrong-password"),
    post("admin form", "/admin", form, "intent=sign-in&email=nobody%40example.com&password=wrong"),
    post("sign-in API", "/api/auth/sign-in/email", json, '{"email":"nobody@example.com","password":"wrong"}'),
    post("checkout start", "/checkout/start", json, '{"slug":"chatgpt-pro"}'),
    post("coupon", "/checkout/coupon", json, '{"slug":"chatgpt-pro","code":"GUESS"}'),
    post("access code", "/tools/chatgpt/code", form, "serverId=chatgpt-server-1"),
    {
      ...post("webhook", "/webhooks/razorpay", { ...json, "x-razorpay-signature": WRONG_SIGNATURE }, "{}"),
      kind: "webhook",
    },
  ];
}

function post(name: string, path: string, headers: Record<string, string>, body: string): Endpoint {
  return { name, kind: "json", method: "POST", path, headers, body };
}
