import { frameOriginOf } from "#core/catalog/limits.ts";

export interface HeaderOptions {
  /** What allows the inline scripts and styles of the page: `'nonce-…'`, or hashes of a stored page. */
  inline: { scripts: readonly string[]; styles: readonly string[] };
  https: boolean;
  /** Allows the hosts of Razorpay's checkout; false for the sandbox, whose script is our own. */
  gatewayHosts: boolean;
  /** The origin of the provider of identities, which the sign-in diagnostics try to reach; null: none is configured. */
  providerOrigin: string | null;
  /** The demo video that the page shows. */
  videoUrl: string | null;
  /** The development server injects styles and talks over a web socket. */
  development: boolean;
}

/** Sites that a demo video is usually embedded from. */
const VIDEO_SITES = [
  "https://www.youtube.com",
  "https://www.youtube-nocookie.com",
  "https://player.vimeo.com",
];

/**
 * The hosts that Razorpay's checkout.js uses in our page, by directive. Its own frame has Razorpay's policy. The source
 * is Razorpay's list for its plugins (razorpay-magento, etc/csp_whitelist.xml): the frame from api, a second script for
 * fraud checks from cdn, reports to lumberjack and lumberjack-metrics. The script also reports to lumberjack-cx, and
 * sends requests and forms to api.
 */
const GATEWAY_HOSTS = {
  script: ["https://checkout.razorpay.com", "https://cdn.razorpay.com"],
  frame: ["https://api.razorpay.com"],
  connect: [
    "https://api.razorpay.com",
    "https://lumberjack.razorpay.com",
    "https://lumberjack-cx.razorpay.com",
    "https://lumberjack-metrics.razorpay.com",
  ],
  form: ["https://api.razorpay.com"],
} as const;

/**
 * The headers of a script or a stylesheet. The others concern documents, and the page needs ten of these files: on a slow network
 * the headers of documents would cost it a tenth of a second.
 */
export function codeHeaders({ https }: Pick<HeaderOptions, "https">): Record<string, string> {
  return {
    // For a page that would run the file as a worker.
    "content-security-policy": "default-src 'none'",
    ...fileHeaders(https),
  };
}

/** The headers of every other answer. */
export function securityHeaders(options: HeaderOptions): Record<string, string> {
  return {
    "content-security-policy": contentSecurityPolicy(options),
    ...fileHeaders(options.https),
    "x-frame-options": "SAMEORIGIN",
    // allow-popups: a sign-in provider or a bank opens in one.
    "cross-origin-opener-policy": "same-origin-allow-popups",
    "permissions-policy": `camera=(), microphone=(), geolocation=(), ${paymentPermission(options)}`,
  };
}

function fileHeaders(https: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    // Not no-referrer: with it, browsers send `Origin: null` with our own forms.
    "referrer-policy": "strict-origin",
    ...(https ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

/** The gateway's frame offers the payment methods of the browser. */
function paymentPermission({ gatewayHosts }: HeaderOptions): string {
  return gatewayHosts
    ? `payment=(self ${GATEWAY_HOSTS.frame.map((host) => `"${host}"`).join(" ")})`
    : "payment=()";
}

function contentSecurityPolicy(options: HeaderOptions): string {
  const gateway = (to: keyof typeof GATEWAY_HOSTS) => (options.gatewayHosts ? GATEWAY_HOSTS[to] : []);
  const videoOrigin = options.videoUrl === null ? null : frameOriginOf(options.videoUrl);
  const video = videoOrigin === null || VIDEO_SITES.includes(videoOrigin) ? [] : [videoOrigin];
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'self'"],
    "script-src": ["'self'", ...options.inline.scripts, ...gateway("script")],
    // Without it, the hosts of the gateway could be the source of a worker.
    "worker-src": ["'self'"],
    "style-src": ["'self'", ...(options.development ? ["'unsafe-inline'"] : options.inline.styles)],
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["'self'", "data:", "https:"],
    "font-src": ["'self'"],
    "connect-src": [
      "'self'",
      ...gateway("connect"),
      ...(options.providerOrigin === null ? [] : [options.providerOrigin]),
      ...(options.development ? ["ws:"] : []),
    ],
    "frame-src": ["'self'", ...gateway("frame"), ...VIDEO_SITES, ...video],
    "media-src": ["'self'", "https:"],
    "form-action": ["'self'", ...gateway("form")],
    "frame-ancestors": ["'self'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}
