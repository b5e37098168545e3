import type { CDPSession } from "@playwright/test";

const BYTES_PER_SECOND = 400_000 / 8;

/**
 * A line of 400 kbit/s and a processor slowed four times.
 *
 * @param latencyMs until the first byte of each answer
 * @returns what the page has loaded so far; it counts on
 */
export async function slowDown(
  devTools: CDPSession,
  latencyMs = 0,
): Promise<{ requests: number; bytes: number }> {
  const traffic = { requests: 0, bytes: 0 };
  devTools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    traffic.requests++;
    traffic.bytes += encodedDataLength;
  });
  await devTools.send("Network.enable");
  await devTools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMs,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  return traffic;
}

/** A process compiles what it runs often. */
export async function warmUp(url: string): Promise<void> {
  for (let n = 0; n < 100; n++) await (await fetch(`${url}?q=${n}`)).arrayBuffer();
}
