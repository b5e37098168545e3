/** A server's name as it is compared: owners type it by hand in several places. */
const comparable = (name: string) => name.trim().toLowerCase();

/** The server of that name, whatever its case and outer spaces. */
export function serverNamed<Server extends { name: string }>(
  servers: readonly Server[],
  name: string,
): Server | undefined {
  return servers.find((server) => comparable(server.name) === comparable(name));
}
