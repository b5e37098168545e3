export interface HeaderOptions {
  nonce: string;
  https: boolean;
  /** Hosts of the payment provider's checkout, when its script is not our own. */
  gatewayHosts: boolean;
  /** Where the demo video is embedded from. */
  videoOrigin: string | null;
  /** The development server injects styles and talks over a web socket. */
  development: boolean;
}

/** Sites that a demo video is usually embedded from. */
const VIDEO_SITES = [
  "https://www.youtube.com",
  "https://www.youtube-nocookie.com",
  "https://player.vimeo.com",
];

/** What every answer carries, whatever makes it. */
export function securityHeaders(options: HeaderOptions): Record<string, string> {
  return {
    "content-security-policy": contentSecurityPolicy(options),
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    // strict-origin, not no-referrer: with that, browsers send `Origin: null` on our own forms.
    "referrer-policy": "strict-origin",
    // allow-popups: a sign-in provider opens in one.
    "cross-origin-opener-policy": "same-origin-allow-popups",
    "permissions-policy":
      'camera=(), microphone=(), geolocation=(), payment=(self "https://api.razorpay.com")',
    ...(options.https ? { "strict-transport-security": "max-age=31536000" } : {}),
  };
}

function contentSecurityPolicy(options: HeaderOptions): string {
  const gateway = (...hosts: string[]) => (options.gatewayHosts ? hosts : []);
  const video = options.videoOrigin ? [options.videoOrigin] : [];
  const directives: Record<string, string[]> = {
    "default-src": ["'self'"],
    "script-src": ["'self'", `'nonce-${options.nonce}'`, ...gateway("https://checkout.razorpay.com")],
    "style-src": options.development ? ["'self'", "'unsafe-inline'"] : ["'self'", `'nonce-${options.nonce}'`],
    "style-src-attr": ["'unsafe-inline'"],
    "img-src": ["'self'", "data:", "https:"],
    "font-src": ["'self'"],
    "connect-src": [
      "'self'",
      ...gateway("https://api.razorpay.com", "https://lumberjack.razorpay.com"),
      ...(options.development ? ["ws:"] : []),
    ],
    "frame-src": [
      "'self'",
      ...gateway("https://api.razorpay.com", "https://checkout.razorpay.com"),
      ...VIDEO_SITES,
      ...video,
    ],
    "media-src": ["'self'", "https:"],
    "form-action": ["'self'", ...gateway("https://api.razorpay.com")],
    "frame-ancestors": ["'self'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}
