import type { IncomingHttpHeaders } from "node:http";
import { connect } from "node:tls";
import { failed, type HealthCheck, ok, skipped, type Verdict, warning } from "#core/health/health-check.ts";
import { judgeCertificate } from "#core/health/rules.ts";
import { type Env, internalAddress } from "../env.ts";
import { checkPort } from "../start/checks.ts";
import { ANSWER_LIMIT_MS, askWhoIsThere, sendRequest, TOO_SLOW } from "./ask-who-is-there.ts";
import type { WayOfRequest } from "./signed-question.ts";

/** The time for three answers: to the question, of a page, and over plain http. */
const ORIGIN_LIMIT_MS = 3 * ANSWER_LIMIT_MS + 1_000;

/** What a check of the addresses has found out for the checks after it. */
interface Found {
  /** Whether the shop listens on its port of this machine. */
  isShopHere: boolean;
  /** How a request to ORIGIN has reached the shop; null: none has. */
  way: WayOfRequest | null;
}

/**
 * The checks of the port and of ORIGIN. They send requests to these two addresses, and to port 80 of the host of ORIGIN.
 *
 * @param readKey the key of signed questions; null: the keys are missing
 */
export function addressChecks(env: Env, found: Found, readKey: () => Promise<Buffer | null>): HealthCheck[] {
  const origin = new URL(env.origin);
  return [
    {
      id: "port",
      after: ["keys"],
      run: async (signal) => {
        const { verdict, isShopHere } = await checkOwnPort(env, await readKey(), signal);
        found.isShopHere = isShopHere;
        return verdict;
      },
    },
    {
      id: "origin",
      after: ["keys", "port"],
      limitMs: ORIGIN_LIMIT_MS,
      run: async (signal) => {
        const { verdict, way } = await checkOrigin(origin, await readKey(), found.isShopHere, signal);
        found.way = way;
        return verdict;
      },
    },
    {
      id: "proxy",
      needs: ["origin"],
      run: () =>
        found.way === null ? skipped("No request has reached the shop.") : judgeWay(found.way, env),
    },
    {
      id: "tls",
      run: (signal) =>
        origin.protocol === "https:"
          ? checkCertificate(origin, signal)
          : skipped("The address of the shop does not begin with https://."),
    },
  ];
}

async function checkOwnPort(
  env: Env,
  key: Buffer | null,
  signal: AbortSignal,
): Promise<{ verdict: Verdict; isShopHere: boolean }> {
  const address = internalAddress(env);
  const answer = await askWhoIsThere(new URL(address), key, signal);
  const { host } = new URL(address);
  if (answer.kind === "shop") return { verdict: ok(`The shop answers at ${host}.`), isShopHere: true };
  const problem = await checkPort(env, 0).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (problem === null)
    return {
      verdict: warning(
        `Nothing answers at ${host}: the shop is not running on this machine.`,
        "Start it with npm start, or if you followed the README:",
        "sudo systemctl start daypass",
      ),
      isShopHere: false,
    };
  if (key === null && answer.kind !== "error")
    return {
      verdict: skipped(
        `Something answers at ${host}. Without the keys, the shop cannot be told apart from it.`,
      ),
      isShopHere: false,
    };
  return {
    verdict: failed(
      answer.kind === "error" && answer.reason === TOO_SLOW
        ? `The program at ${host} does not answer in time: it is a shop with too much work, or another program.`
        : problem,
      "This shows which program uses the port:",
      `sudo ss -ltnp 'sport = :${env.port}'`,
    ),
    isShopHere: false,
  };
}

async function checkOrigin(
  origin: URL,
  key: Buffer | null,
  isShopHere: boolean,
  signal: AbortSignal,
): Promise<{ verdict: Verdict; way: WayOfRequest | null }> {
  const without = (verdict: Verdict) => ({ verdict, way: null });
  if (key === null)
    return without(skipped("Without the keys, the shop cannot be told apart from another server."));
  const answer = await askWhoIsThere(origin, key, signal);
  switch (answer.kind) {
    case "error":
      if (!isShopHere) return without(NOT_RUNNING);
      return without(
        failed(
          `${origin.origin} cannot be reached from this machine: ${answer.reason}.`,
          "Check ORIGIN, the DNS entry of the name, the firewall and the proxy. If buyers reach the shop, the network only keeps the server from calling its own address. Then this line helps if the proxy runs on this machine; if it runs on another one, replace 127.0.0.1 by the address of that machine:",
          `echo "127.0.0.1 ${origin.hostname}" | sudo tee -a /etc/hosts`,
        ),
      );
    case "other":
      return without(judgeOtherServer(origin, answer, isShopHere));
    case "shop":
      return { verdict: await checkPages(origin, signal), way: answer.way };
  }
}

const NOT_RUNNING = skipped(
  "The shop is not running on this machine, and its public address does not answer.",
);

function judgeOtherServer(
  origin: URL,
  { status, headers }: { status: number; headers: IncomingHttpHeaders },
  isShopHere: boolean,
): Verdict {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined && URL.canParse(location, origin)) {
    const target = new URL(location, origin).origin;
    if (target !== origin.origin)
      return failed(
        `${origin.origin} sends visitors on to ${target}. Sign-ins and payments need a single address.`,
        "Set ORIGIN to the address that buyers see, and restart the shop:",
        `ORIGIN=${target}`,
      );
  }
  if ([502, 503, 504].includes(status)) {
    if (!isShopHere) return NOT_RUNNING;
    return failed(
      `The proxy at ${origin.origin} answers ${status}: it does not reach the shop.`,
      "Check that the proxy forwards to HOST and PORT of the shop, and look at the log of the proxy.",
      "sudo nginx -t && sudo tail /var/log/nginx/error.log",
    );
  }
  return failed(
    `${origin.origin} is answered by another server than this shop, or by a shop with other keys (status ${status}).`,
    "Check ORIGIN and the DNS entry of the name, and that the proxy forwards every path of this name to HOST and PORT of the shop.",
  );
}

const HEADERS = ["content-security-policy", "x-content-type-options", "x-frame-options"];

/** Checks that the headers of a page arrive, and that plain http leads to https. */
async function checkPages(origin: URL, signal: AbortSignal): Promise<Verdict> {
  const isHttps = origin.protocol === "https:";
  const { headers } = await sendRequest(new URL("/readyz", origin), { headers: {}, signal });
  const missing = [...HEADERS, ...(isHttps ? ["strict-transport-security"] : [])].filter(
    (name) => headers[name] === undefined,
  );
  if (missing.length > 0)
    return failed(
      `The proxy removes ${missing.length === 1 ? "a header" : "headers"} that protect your buyers: ${missing.join(", ")}.`,
      "Remove the lines of the proxy that hide or replace headers (in nginx: proxy_hide_header).",
    );
  if (isHttps && origin.port === "") return (await checkPlainHttp(origin, signal)) ?? reached(origin);
  const isPublic = !isHttps && !/^(?:localhost|127\.|\[::1\])|\.localhost$/.test(origin.hostname);
  if (isPublic)
    return warning(
      `${origin.origin} is not encrypted: others in the network can read passwords.`,
      "Put a proxy with a certificate in front of the shop, as the README shows, and set:",
      `ORIGIN=https://${origin.hostname}`,
    );
  return reached(origin);
}

const reached = (origin: URL) => ok(`${origin.origin} leads to this shop, and its headers arrive.`);

/** Somebody who types the address without https:// must get to the encrypted one. @returns null when nothing is wrong */
async function checkPlainHttp(origin: URL, signal: AbortSignal): Promise<Verdict | null> {
  const plain = new URL(`http://${origin.hostname}/`);
  const answer = await sendRequest(plain, { headers: {}, signal }).catch(() => null);
  // Nothing answers there, so no page is shown without encryption.
  if (answer === null) return null;
  const { location } = answer.headers;
  const target = location !== undefined && URL.canParse(location, plain) ? new URL(location, plain) : null;
  if (target?.protocol === "https:" || answer.status >= 400) return null;
  return warning(
    `${plain.origin} shows pages without encryption instead of leading to ${origin.origin}.`,
    "Have the proxy redirect http to https. In nginx, for the server that listens on port 80:",
    "return 301 https://$host$request_uri;",
  );
}

/** Judges how a request has reached the shop. Limits count attempts by client address, so a proxy has to name it. */
function judgeWay(
  { connection, client, isForwarded, isTrusted }: WayOfRequest,
  { origin, trustedProxies }: Env,
): Verdict {
  const all = "All visitors count as one, so one of them can use up the sign-in attempts of all.";
  if (isForwarded && !isTrusted)
    return failed(
      `The proxy at ${connection} says who sends a request, but the shop does not trust it. ${all}`,
      `If this is the address of your own proxy, ${trustedProxies.length === 0 ? "add this line to the settings" : "change this line of the settings"}, and restart the shop:`,
      `TRUSTED_PROXIES=${[...trustedProxies, connection].join(",")}`,
    );
  if (!isForwarded && (isTrusted || origin.startsWith("https:")))
    return failed(
      `The proxy at ${connection} does not say who sends a request. ${all}`,
      "Have the proxy send the header X-Forwarded-For. In nginx:",
      "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
    );
  return ok(
    isForwarded
      ? `The shop sees clients behind the proxy at ${connection}. This request came from ${client}.`
      : `Requests reach the shop without a proxy. This one came from ${client}.`,
  );
}

/**
 * Accepts every certificate, so that a wrong one can be reported. The connection sends no request. It ends before the time limit
 * of the check: that nothing answers is reported by the check of the public address.
 */
function checkCertificate(origin: URL, signal: AbortSignal): Promise<Verdict> {
  const { hostname, port } = origin;
  return new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({
      host,
      port: port === "" ? 443 : Number(port),
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
      rejectUnauthorized: false,
    });
    const end = (verdict: Verdict) => {
      socket.destroy();
      resolve(verdict);
    };
    const withinLimit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
    withinLimit.addEventListener("abort", () => end(skipped(`${origin.host} does not answer in time.`)), {
      once: true,
    });
    socket.once("error", (error) => end(judgeNoHandshake(origin, error)));
    socket.once("secureConnect", () => {
      const { valid_to: validTo } = socket.getPeerCertificate();
      const code = String(socket.authorizationError ?? "");
      const problem = socket.authorized
        ? null
        : code === "ERR_TLS_CERT_ALTNAME_INVALID"
          ? "name"
          : "untrusted";
      end(judgeCertificate({ host: hostname, validTo: new Date(validTo), problem }, new Date()));
    });
  });
}

/** That nothing answers at all is reported by the check of the public address. */
function judgeNoHandshake(origin: URL, error: Error): Verdict {
  const code = "code" in error ? String(error.code) : "";
  if (
    /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/.test(code) ||
    error instanceof AggregateError
  )
    return skipped(`${origin.host} does not answer.`);
  return failed(
    `${origin.host} does not answer with an encrypted connection.`,
    "Set up the certificate at your proxy. With certbot and nginx:",
    `sudo certbot --nginx -d ${origin.hostname}`,
  );
}
