import { Transform, type TransformCallback } from "node:stream";

const PRELOAD = Buffer.from('<link rel="modulepreload"');
const LOW_PRIORITY = Buffer.from('<link rel="modulepreload" fetchpriority="low"');
const HEAD_END = Buffer.from("</head>");

/**
 * Gives the module preloads in the document's head a low priority, so that they do not compete with the stylesheet on a
 * slow network. The rest of the document is not changed.
 */
export class LowPriorityModulePreloads extends Transform {
  #head: Buffer | null = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.#head === null) return done(null, chunk);
    this.#head = Buffer.concat([this.#head, chunk]);
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return done();
    const rest = this.#head.subarray(end);
    const head = lowerPriority(this.#head.subarray(0, end));
    this.#head = null;
    done(null, Buffer.concat([head, rest]));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#head);
  }
}

function lowerPriority(head: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let at = head.indexOf(PRELOAD); at !== -1; at = head.indexOf(PRELOAD, from)) {
    parts.push(head.subarray(from, at), LOW_PRIORITY);
    from = at + PRELOAD.length;
  }
  return Buffer.concat([...parts, head.subarray(from)]);
}
