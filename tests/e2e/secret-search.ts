import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A secret by the name that a failed test shows. The test never prints the secret itself. */
export type Secrets = Readonly<Record<string, string | Buffer>>;

/** The names of the secrets that occur in the bytes, as they are, in hex, in base64 or as in an address. */
export function findSecrets(bytes: Buffer, secrets: Secrets): string[] {
  return Object.entries(secrets)
    .filter(([, secret]) => formsOf(Buffer.from(secret)).some((form) => bytes.includes(form)))
    .map(([name]) => name);
}

function formsOf(secret: Buffer): Array<Buffer | string> {
  const base64 = secret.toString("base64").replace(/=+$/, "");
  return [
    secret,
    secret.toString("hex"),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
    encodeURIComponent(base64),
  ];
}

/** The files of a folder and of the folders in it, except those in a folder of the name `without`. */
export function listFiles(folder: string, without: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.split("/").includes(without))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Each file that contains a secret, with the names of the secrets. */
export function findSecretsInFiles(files: readonly string[], secrets: Secrets): string[] {
  return files.flatMap((file) =>
    findSecrets(readFileSync(file), secrets).map((name) => `${file} contains ${name}`),
  );
}
