import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("storefront/home.tsx"),
  route("dashboard", "account/dashboard.tsx"),
  route("reset-password", "auth/reset-password.tsx"),
  route("admin", "admin/dashboard.tsx", [
    index("admin/users/users.tsx"),
    route("tools", "admin/tools/tools.tsx"),
    route("access-codes", "admin/access-codes/access-codes.tsx"),
    route("purchases", "admin/purchases/purchases.tsx"),
    route("coupons", "admin/coupons/coupons.tsx"),
    route("credentials", "admin/credentials/credentials.tsx"),
    route("settings", "admin/settings/settings.tsx"),
    route("audit", "admin/audit/audit.tsx"),
  ]),
  route("admin/login", "admin/login.tsx"),
  route("admin/access-codes/connection", "admin/access-codes/open-connection.ts"),
  route("admin/catalogue", "admin/tools/catalogue/catalogue-file.ts"),
  route("admin/users/:userId/tools", "admin/users/endpoints/assignable-tools.ts"),
  route("admin/users/:userId/purchases", "admin/users/endpoints/purchased-tools.ts"),
  route("admin/users/:userId/deletion", "admin/users/endpoints/user-deletion.ts"),
  route("admin/purchases/:purchaseId/timeline", "admin/purchases/endpoints/timeline.ts"),
  route("admin/purchases/:purchaseId/cancellation", "admin/purchases/endpoints/cancellation.ts"),

  route("aihumanizer", "tools/tool-page.tsx", { id: "aihumanizer" }),
  route("tools/chatgpt", "tools/chat-assistant.tsx"),
  route("tools/:slug", "tools/tool-page.tsx"),
  route("tools/:slug/code", "tools/reveal-code.ts"),
  route("tools/:slug/credential", "tools/reveal-credential.ts"),
  route("tools/:slug/report", "tools/report-code.ts"),

  route("auth/sign-in", "auth/endpoints/forms.ts", { id: "auth-sign-in" }),
  route("auth/sign-up", "auth/endpoints/forms.ts", { id: "auth-sign-up" }),
  route("auth/reset", "auth/endpoints/forms.ts", { id: "auth-reset" }),
  route("auth/sign-out", "auth/endpoints/sign-out.ts"),
  route("auth/google", "auth/endpoints/forms.ts", { id: "auth-google" }),
  route("api/auth/*", "auth/endpoints/auth-api.ts"),

  route("checkout/offer", "checkout/endpoints/offer.ts"),
  route("checkout/coupon", "checkout/endpoints/post-endpoints.ts", { id: "checkout/coupon" }),
  route("checkout/start", "checkout/endpoints/post-endpoints.ts", { id: "checkout/start" }),
  route("checkout/confirm", "checkout/endpoints/post-endpoints.ts", { id: "checkout/confirm" }),
  route("checkout/cancel", "checkout/endpoints/post-endpoints.ts", { id: "checkout/cancel" }),
  route("checkout/status", "checkout/endpoints/status.ts"),

  route("readyz", "health/readyz.ts"),
  route("*", "not-found.tsx"),
] satisfies RouteConfig;
