import { createServer } from "node:net";
import { ConfigurationError, type Env } from "../env.ts";

/**
 * Finds out before anything is built or started whether the shop will be able to listen.
 * @throws ConfigurationError
 */
export async function checkPort({ host, port }: Pick<Env, "host" | "port">): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) => reject(explain(error, host, port)));
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

function explain(error: Error, host: string, port: number): ConfigurationError {
  const code = "code" in error ? String(error.code) : error.message;
  const sentences: Record<string, string> = {
    EADDRINUSE: `PORT ${port} on ${host} is in use by another program: stop that one, or set PORT to another number.`,
    EACCES: `PORT ${port} may not be used by this user: set PORT to a number above 1023.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} is not a name this machine knows.`,
  };
  return new ConfigurationError(sentences[code] ?? `PORT ${port} on ${host} cannot be used (${code}).`, {
    cause: error,
  });
}
