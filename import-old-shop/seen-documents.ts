import { createHash } from "node:crypto";

/** The 32-bit words of a slot: three of the hash of the id, two of the hash of the content. */
const WORDS = 5;
const ID_WORDS = 3;

/**
 * The documents of a collection that were read, in 40 to 80 bytes each: an export may have a million. It keeps a
 * part of two hashes, so it takes two ids for the same less than once in 10^16 exports of that size.
 */
export class SeenDocuments {
  #slots = new Uint32Array(1024 * WORDS);
  #count = 0;

  /**
   * Adds a document unless a document with this id was added before.
   *
   * @param contentHash hexadecimal
   * @returns whether an earlier document has the same content; null: there is no earlier document
   */
  add(id: string, contentHash: string): "same" | "different" | null {
    if (this.#count * 2 >= this.#slots.length / WORDS) this.#grow();
    const digest = createHash("sha256").update(id).digest();
    const content = Buffer.from(contentHash.slice(0, 16), "hex");
    const words = [
      // An empty slot has 0 here.
      digest.readUInt32LE(0) || 1,
      digest.readUInt32LE(4),
      digest.readUInt32LE(8),
      content.readUInt32LE(0),
      content.readUInt32LE(4),
    ];
    const at = this.#find(words);
    if (this.#slots[at] === 0) {
      this.#slots.set(words, at);
      this.#count += 1;
      return null;
    }
    const isSame = this.#slots[at + 3] === words[3] && this.#slots[at + 4] === words[4];
    return isSame ? "same" : "different";
  }

  /** The place of the slot with this id, or of the empty one for it. */
  #find(words: readonly number[]): number {
    const count = this.#slots.length / WORDS;
    for (let slot = (words[0] ?? 0) % count; ; slot = (slot + 1) % count) {
      const at = slot * WORDS;
      if (this.#slots[at] === 0) return at;
      let word = 0;
      while (word < ID_WORDS && this.#slots[at + word] === words[word]) word += 1;
      if (word === ID_WORDS) return at;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += WORDS) {
      if (before[at] === 0) continue;
      const words = [...before.subarray(at, at + WORDS)];
      this.#slots.set(words, this.#find(words));
    }
  }
}
