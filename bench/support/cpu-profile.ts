import type { Profiler } from "node:inspector";
import { Session } from "node:inspector/promises";

/** Shares (0 to 1) of the busy time of a process, largest first. */
export interface ProfileSummary {
  /** By package, own folder or part of Node, including native calls. */
  places: [string, number][];
  /** By function, without its callees. */
  functions: [string, number][];
}

type Node = Profiler.ProfileNode;

/** Profiles this process while `work` runs. Time in which other processes run counts as busy. */
export async function profile(work: () => Promise<unknown>): Promise<ProfileSummary> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
    await work();
    return summarise((await session.post("Profiler.stop")).profile);
  } finally {
    session.disconnect();
  }
}

function summarise({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): ProfileSummary {
  const own = new Map<number, number>();
  for (const [index, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[index] ?? 0));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const callerOf = ({ id }: Node) => byId.get(parents.get(id) ?? -1);
  const places = new Map<string, number>();
  const functions = new Map<string, number>();
  for (const node of nodes) {
    const time = own.get(node.id) ?? 0;
    if (time === 0 || ["(idle)", "post"].includes(node.callFrame.functionName)) continue;
    const { functionName, url, lineNumber } = node.callFrame;
    const name = `${functionName || "(anonymous)"} ${shorten(url)}:${lineNumber + 1}`;
    const place = placeOf(node, callerOf);
    places.set(place, (places.get(place) ?? 0) + time);
    functions.set(name, (functions.get(name) ?? 0) + time);
  }
  return { places: shares(places, 20), functions: shares(functions, 25) };
}

function shares(times: Map<string, number>, count: number): [string, number][] {
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .map(([name, time]): [string, number] => [name, time / all])
    .toSorted((one, other) => other[1] - one[1])
    .slice(0, count);
}

/** Native code and Node's internals count for the package or folder that called them. */
function placeOf(node: Node, callerOf: (node: Node) => Node | undefined): string {
  const { url, functionName } = node.callFrame;
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (inPackage?.[1]) return inPackage[1];
  if (url.startsWith("node:internal/deps/undici")) return "fetch";
  if (url.startsWith("file:")) return shorten(url).split("/").slice(0, 2).join("/");
  const caller = callerOf(node);
  if (!caller || caller.callFrame.functionName === "(root)") {
    return functionName.startsWith("(") ? functionName : "node, no caller";
  }
  return placeOf(caller, callerOf);
}

function shorten(url: string): string {
  return url.replace(/^.*\/node_modules\//, "").replace(new URL("../../", import.meta.url).href, "");
}
