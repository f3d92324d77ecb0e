const FIRST_SLOTS = 1_024;
const PARTS = 2;

/**
 * A set of very many texts. It needs 16 to 32 bytes for each, because it holds only two hashes of a text. It never takes a known text for a
 * new one. With ten million texts, the chance that it takes a new text for a known one is about one in 200,000.
 */
export class TextSet {
  #slots = new Uint32Array(FIRST_SLOTS * PARTS);
  #size = 0;

  /** Returns whether the text is new. */
  add(text: string): boolean {
    let [one, other] = [0x81_1c_9d_c5, 0x9e_37_79_b9];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01_00_01_93);
      other = Math.imul(other + code, 0x85_eb_ca_6b);
      other ^= other >>> 15;
    }
    if (!this.#put(one >>> 0, (other | 1) >>> 0)) return false;
    this.#size += 1;
    if (this.#size * PARTS * PARTS > this.#slots.length) this.#grow();
    return true;
  }

  // The second hash is never 0, which marks an empty slot.
  #put(one: number, other: number): boolean {
    const slots = this.#slots;
    const most = slots.length / PARTS - 1;
    for (let slot = (one ^ (one >>> 16)) & most; ; slot = (slot + 1) & most) {
      const at = slot * PARTS;
      if (slots[at + 1] === 0) {
        slots[at] = one;
        slots[at + 1] = other;
        return true;
      }
      if (slots[at] === one && slots[at + 1] === other) return false;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (let at = 0; at < before.length; at += PARTS) {
      const other = before[at + 1] ?? 0;
      if (other !== 0) this.#put(before[at] ?? 0, other);
    }
  }
}
