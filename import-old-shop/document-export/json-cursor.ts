import type { FileHandle } from "node:fs/promises";

/** The next bytes of a text, or null at its end. The bytes may be overwritten by the next call. */
export type Chunks = () => Promise<Uint8Array | null>;

const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file from an offset on. Takes one buffer. */
export function chunksOf(file: FileHandle, offset: number): Chunks {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = offset;
  return async () => {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, position);
    position += bytesRead;
    return bytesRead === 0 ? null : buffer.subarray(0, bytesRead);
  };
}

/** The text is no JSON from here on, or ends too early. `message` goes into the report and quotes nothing of the text. */
export class BrokenJsonError extends Error {
  override readonly name = "BrokenJsonError";
}

export interface Span {
  /** The bytes of the value, until the cursor moves on; null when they are more than the limit. */
  bytes: Buffer | null;
  /** How many lists and maps lie in each other. */
  depth: number;
}

export const END = -1;
const QUOTE = 0x22;
export const OPEN_LIST = 0x5b;
export const OPEN_MAP = 0x7b;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const CLOSE_MAP = 0x7d;

const isSpace = (byte: number) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * Walks through a JSON text of any size and finds where each value ends; JSON.parse reads what is between. The streaming
 * parsers of npm call back for every token and take two to three times as long: 200 MB of documents take 3 s of CPU here,
 * as long as one JSON.parse of the whole, 10 s with @streamparser/json 0.0.26, and 17 s with stream-json 3.8.0.
 */
export class JsonCursor {
  readonly #chunks: Chunks;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The offset of the chunk in the text. */
  #offset: number;

  constructor(chunks: Chunks, offset = 0) {
    this.#chunks = chunks;
    this.#offset = offset;
  }

  /** The offset of the next byte in the text. */
  get position(): number {
    return this.#offset + this.#at;
  }

  /** The next byte that is no white space, which stays the next one; or END. */
  async peek(): Promise<number> {
    for (;;) {
      for (; this.#at < this.#chunk.length; this.#at++) {
        const byte = this.#chunk[this.#at] ?? END;
        if (!isSpace(byte) && !this.#isByteOrderMark(byte)) return byte;
      }
      if (!(await this.#load())) return END;
    }
  }

  /** Passes the byte that was peeked. */
  advance(): void {
    this.#at += 1;
  }

  /**
   * Reads the value whose first byte was peeked, or passes it with the limit 0.
   *
   * @param limit in bytes
   * @param open how many lists and maps around the next byte are passed to their ends
   * @throws BrokenJsonError when the text ends within the value
   */
  async value(limit: number, open = 0): Promise<Span> {
    const parts: Buffer[] = [];
    let size = 0;
    let depth = open;
    let deepest = open;
    let inText = false;
    let isEscaped = false;
    for (;;) {
      const chunk = this.#chunk;
      const start = this.#at;
      let at = start;
      let isDone = false;
      while (at < chunk.length && !isDone) {
        const byte = chunk[at];
        if (isEscaped) {
          isEscaped = false;
          at++;
        } else if (inText) {
          if (byte === QUOTE) {
            inText = false;
            isDone = depth === 0;
          } else if (byte === BACKSLASH) isEscaped = true;
          at++;
          // Most bytes belong to texts, so they have the shortest loop.
          if (byte !== QUOTE && byte !== BACKSLASH)
            while (at < chunk.length && chunk[at] !== QUOTE && chunk[at] !== BACKSLASH) at++;
        } else if (byte === QUOTE) {
          inText = true;
          at++;
        } else if (byte === OPEN_MAP || byte === OPEN_LIST) {
          depth++;
          if (depth > deepest) deepest = depth;
          at++;
        } else if (byte === CLOSE_MAP || byte === CLOSE_LIST) {
          // Without an open one it closes the list or map around a number or a word.
          if (depth > 0) {
            depth--;
            at++;
          }
          isDone = depth === 0;
        } else if (depth === 0 && (byte === COMMA || isSpace(byte ?? 0))) isDone = true;
        else at++;
      }
      this.#at = at;
      size += at - start;
      const part = Buffer.from(chunk.buffer, chunk.byteOffset + start, at - start);
      if (isDone && parts.length === 0) return { bytes: size <= limit ? part : null, depth: deepest };
      if (size <= limit) parts.push(Buffer.from(part));
      else parts.length = 0;
      if (isDone) return { bytes: size <= limit ? Buffer.concat(parts) : null, depth: deepest };
      if (await this.#load()) continue;
      if (depth > 0 || inText || size === 0) throw new BrokenJsonError("the file ends in the middle");
      return { bytes: size <= limit ? Buffer.concat(parts) : null, depth: deepest };
    }
  }

  /**
   * The entries of the list or map whose first byte was peeked: for each its key (null in a list). The caller then peeks and
   * passes the value before it asks for the next entry.
   *
   * @throws BrokenJsonError
   */
  async *entries(): AsyncGenerator<string | null, void> {
    const isMap = (await this.peek()) === OPEN_MAP;
    const close = isMap ? CLOSE_MAP : CLOSE_LIST;
    this.advance();
    if ((await this.peek()) === close) {
      this.advance();
      return;
    }
    for (;;) {
      yield isMap ? await this.#key() : null;
      const next = await this.peek();
      if (next !== COMMA && next !== close) throw this.#broken(next);
      this.advance();
      if (next === close) return;
      const following = await this.peek();
      if (following === close || following === END) throw this.#broken(following);
    }
  }

  /** As `entries`, for values that follow each other without a list around them. */
  async *sequence(): AsyncGenerator<null, void> {
    while ((await this.peek()) !== END) yield null;
  }

  async #key(): Promise<string> {
    const first = await this.peek();
    if (first !== QUOTE) throw this.#broken(first);
    const { bytes } = await this.value(MAX_KEY_BYTES);
    const key = bytes === null ? null : parseKey(bytes);
    const colon = await this.peek();
    if (key === null || colon !== COLON) throw this.#broken(colon);
    this.advance();
    return key;
  }

  #broken(byte: number): BrokenJsonError {
    if (byte === END) return new BrokenJsonError("the file ends in the middle");
    return new BrokenJsonError(`the file is not valid JSON at byte ${this.position}`);
  }

  /** At the start of the text only. */
  #isByteOrderMark(byte: number): boolean {
    return byte >= 0xbb && this.position < 3 && byte === [0xef, 0xbb, 0xbf][this.position];
  }

  async #load(): Promise<boolean> {
    this.#offset += this.#chunk.length;
    this.#at = 0;
    this.#chunk = (await this.#chunks()) ?? new Uint8Array(0);
    return this.#chunk.length > 0;
  }
}

function parseKey(bytes: Buffer): string | null {
  try {
    return String(JSON.parse(bytes.toString()));
  } catch {
    return null;
  }
}

/** Document ids have at most 1,500 bytes; escapes make them longer. */
const MAX_KEY_BYTES = 64 * 1024;
