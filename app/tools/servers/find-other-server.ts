/** What decides whether a server is worth a try. */
interface ServerFacts {
  id: string;
  name: string;
  codeVersion: string | null;
  reportedAt: Date | null;
}

/**
 * The name of the server to try instead of `id`: the next one in the list, then from its start, that has a code which this
 * buyer has not reported. Null without any.
 */
export function findOtherServer(servers: readonly ServerFacts[], id: string): string | null {
  const at = servers.findIndex((server) => server.id === id);
  const inOrder = [...servers.slice(at + 1), ...servers.slice(0, Math.max(0, at))];
  const usable = inOrder.find(({ codeVersion, reportedAt }) => codeVersion !== null && reportedAt === null);
  return usable?.name ?? null;
}
