import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [
  index("storefront/home.tsx"),
  route("dashboard", "account/dashboard.tsx"),
  route("aihumanizer", "tools/tool-page.tsx", { id: "aihumanizer" }),
  route("tools/chatgpt", "tools/chat-assistant.tsx"),
  route("tools/:slug", "tools/tool-page.tsx"),
  route("tools/:slug/code", "tools/reveal-code.ts"),
  route("checkout/offer", "checkout/offer.ts"),
  route("checkout/start", "checkout/start.ts"),
  route("checkout/confirm", "checkout/confirm.ts"),
  route("checkout/cancel", "checkout/cancel.ts"),
  route("checkout/status", "checkout/status.ts"),
  route("webhooks/razorpay", "webhooks/razorpay.ts"),
  route("*", "not-found.tsx"),
] satisfies RouteConfig;
