/**
 * Which names each of many groups has, in flat arrays: about 30 bytes a name besides its own, where a set of strings takes three times
 * as much and makes the garbage collector walk it. Names are numbered as they come and stay for ever.
 */
export class NameIndex {
  #count = 0;
  // Columns; each doubles when full, bounded by the items of a backup.
  #group = new Uint32Array(256);
  #nameEnd = new Float64Array(256);
  #names = Buffer.alloc(8 * 1024);
  /** Open addressing: slot -> number + 1. */
  #slots = new Uint32Array(1024);

  /** The number of a name; undefined when the group has none such. */
  find(group: number, name: string): number | undefined {
    return this.#look(group, Buffer.from(name)).number;
  }

  /** Adds a name; undefined when the group has it already. */
  add(group: number, name: string): number | undefined {
    const bytes = Buffer.from(name);
    if (this.#look(group, bytes).number !== undefined) return undefined;
    this.#grow(bytes.length);
    const number = this.#count++;
    const start = this.#start(number);
    this.#names.set(bytes, start);
    this.#nameEnd[number] = start + bytes.length;
    this.#group[number] = group;
    this.#slots[this.#look(group, bytes).slot] = number + 1;
    return number;
  }

  /** The numbers of each group's names, in the order in which they came; `groups` is how many groups there are. */
  byGroup(groups: number): readonly Uint32Array[] {
    const sizes = new Uint32Array(groups);
    for (let at = 0; at < this.#count; at += 1)
      sizes[this.#group[at] ?? 0] = (sizes[this.#group[at] ?? 0] ?? 0) + 1;
    const lists = Array.from(sizes, (size) => new Uint32Array(size));
    const filled = new Uint32Array(groups);
    for (let at = 0; at < this.#count; at += 1) {
      const group = this.#group[at] ?? 0;
      const list = lists[group];
      if (list === undefined) continue;
      list[filled[group] ?? 0] = at;
      filled[group] = (filled[group] ?? 0) + 1;
    }
    return lists;
  }

  nameOf(number: number): string {
    return this.#bytes(number).toString();
  }

  #start(number: number): number {
    return number === 0 ? 0 : (this.#nameEnd[number - 1] ?? 0);
  }

  #bytes(number: number): Buffer {
    return this.#names.subarray(this.#start(number), this.#nameEnd[number]);
  }

  #look(group: number, name: Buffer): { readonly slot: number; readonly number: number | undefined } {
    const mask = this.#slots.length - 1;
    for (let slot = hash(group, name) & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] ?? 0) - 1;
      if (number === -1) return { slot, number: undefined };
      if (this.#group[number] === group && this.#bytes(number).equals(name)) return { slot, number };
    }
  }

  #grow(nameBytes: number): void {
    const needed = this.#start(this.#count) + nameBytes;
    if (needed > this.#names.length) {
      const grown = Buffer.alloc(Math.max(needed, this.#names.length * 2));
      this.#names.copy(grown);
      this.#names = grown;
    }
    if (this.#count === this.#group.length) {
      const group = new Uint32Array(this.#count * 2);
      group.set(this.#group);
      this.#group = group;
      const nameEnd = new Float64Array(this.#count * 2);
      nameEnd.set(this.#nameEnd);
      this.#nameEnd = nameEnd;
    }
    if (this.#count * 2 < this.#slots.length) return;
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#count; at += 1)
      this.#slots[this.#look(this.#group[at] ?? 0, this.#bytes(at)).slot] = at + 1;
  }
}

/** FNV-1a: cheap; names are compared in full, so a collision costs time only. */
function hash(group: number, name: Uint8Array): number {
  let value = Math.imul(0x811c9dc5 ^ group, 0x01000193);
  for (const byte of name) value = Math.imul(value ^ byte, 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}
