import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { AppError } from "../../../errors.ts";
import { ReadAhead } from "./ahead.ts";
import { KeyedHash } from "./keyed-hash.ts";

/** The items of one type in one namespace ("" for cluster-scoped ones). */
export interface SpoolGroup {
  readonly id: number;
  readonly groupResource: string;
  readonly namespace: string;
}

/** Which item is meant. */
export interface SpoolKey {
  readonly groupResource: string;
  readonly namespace: string;
  readonly name: string;
}

const flushBytes = 1024 * 1024;

/**
 * The archive's items, uncompressed, one after the other in a file that has no name any more: a kill leaves nothing
 * behind, and nobody else can open it. In memory stays an index of about 60 bytes an item; see `columns`.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #ahead: ReadAhead;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #written = 0;
  readonly #groups: SpoolGroup[] = [];
  readonly #groupIds = new Map<string, number>();
  #count = 0;
  // Columns of the index; each doubles when full, bounded by the reader's limit on entries.
  #offset = new Float64Array(1024);
  #length = new Uint32Array(1024);
  #crc = new Uint32Array(1024);
  #group = new Uint32Array(1024);
  #selected = new Uint8Array(1024);
  #nameEnd = new Float64Array(1024);
  #names = Buffer.alloc(16 * 1024);
  /** Open addressing: slot -> ordinal + 1. Names are compared in full; who wrote the archive cannot make them collide. */
  #slots = new Uint32Array(4096);
  readonly #hash = new KeyedHash();
  #probes = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
    this.#ahead = new ReadAhead((offset, length) => this.#readAt(offset, length));
  }

  /** Opens a spool in the folder for temporary files. */
  static async open(parent: string = tmpdir()): Promise<Spool> {
    const folder = await mkdtemp(join(parent, "headway-restore-"));
    try {
      return new Spool(await open(join(folder, "spool"), "wx+", 0o600));
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  get size(): number {
    return this.#count;
  }

  /** Slots looked at so far: the work of the index. */
  get probes(): number {
    return this.#probes;
  }

  get groups(): readonly SpoolGroup[] {
    return this.#groups;
  }

  /** Adds an item; undefined when one of that name is there already. The bytes are copied. */
  add(key: SpoolKey, bytes: Uint8Array, selected: boolean): number | undefined {
    const group = this.#groupId(key);
    const name = Buffer.from(key.name);
    if (this.#slotOf(group, name).ordinal !== undefined) return undefined;
    const ordinal = this.#count;
    this.#grow(name.length);
    this.#offset[ordinal] = this.#written + this.#pendingBytes;
    this.#length[ordinal] = bytes.length;
    this.#crc[ordinal] = crc32(bytes);
    this.#group[ordinal] = group;
    this.#selected[ordinal] = selected ? 1 : 0;
    const start = ordinal === 0 ? 0 : (this.#nameEnd[ordinal - 1] ?? 0);
    this.#names.set(name, start);
    this.#nameEnd[ordinal] = start + name.length;
    this.#count += 1;
    this.#slots[this.#slotOf(group, name).slot] = ordinal + 1;
    this.#pending.push(Uint8Array.from(bytes));
    this.#pendingBytes += bytes.length;
    return ordinal;
  }

  /** Writes what is waiting once there is a megabyte of it; `all` writes everything. */
  async flush(all = false): Promise<void> {
    if (this.#pendingBytes === 0 || (!all && this.#pendingBytes < flushBytes)) return;
    const bytes = Buffer.concat(this.#pending, this.#pendingBytes);
    this.#pending = [];
    this.#pendingBytes = 0;
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#written);
      at += bytesWritten;
      this.#written += bytesWritten;
    }
  }

  /** The content of an item, checked against what was written; cheapest in the order of `selectedByGroup`. */
  async read(ordinal: number): Promise<Uint8Array> {
    const bytes = await this.#ahead.read(this.#offset[ordinal] ?? 0, this.#length[ordinal] ?? 0);
    if (bytes.length !== this.#length[ordinal] || crc32(bytes) !== this.#crc[ordinal])
      throw this.#damaged(ordinal);
    return bytes;
  }

  /** The number of an item, or undefined when the archive has none of that name. */
  find(key: SpoolKey): number | undefined {
    const group = this.#groupIds.get(`${key.groupResource}\n${key.namespace}`);
    return group === undefined ? undefined : this.#slotOf(group, Buffer.from(key.name)).ordinal;
  }

  nameOf(ordinal: number): string {
    return this.#nameBytes(ordinal).toString();
  }

  groupOf(ordinal: number): SpoolGroup {
    const group = this.#groups[this.#group[ordinal] ?? -1];
    if (group === undefined) throw new Error(`the spool has no item ${ordinal}`);
    return group;
  }

  isSelected(ordinal: number): boolean {
    return this.#selected[ordinal] === 1;
  }

  /** The numbers of the selected items, group by group in the order of `groups`, each in the archive's order. */
  selectedByGroup(): ReadonlyMap<number, Uint32Array> {
    const counts = new Uint32Array(this.#groups.length);
    for (let at = 0; at < this.#count; at += 1) {
      if (this.isSelected(at)) counts[this.#group[at] ?? 0] = (counts[this.#group[at] ?? 0] ?? 0) + 1;
    }
    const lists = new Map<number, Uint32Array>();
    counts.forEach((count, id) => void (count > 0 && lists.set(id, new Uint32Array(count))));
    const filled = new Uint32Array(this.#groups.length);
    for (let at = 0; at < this.#count; at += 1) {
      const id = this.#group[at] ?? 0;
      const list = this.isSelected(at) ? lists.get(id) : undefined;
      if (list === undefined) continue;
      list[filled[id] ?? 0] = at;
      filled[id] = (filled[id] ?? 0) + 1;
    }
    return lists;
  }

  /** Frees the disk space. */
  async close(): Promise<void> {
    await this.#file.close();
  }

  async #readAt(offset: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    while (at < length) {
      const { bytesRead } = await this.#file.read(bytes, at, length - at, offset + at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  }

  #damaged(ordinal: number): AppError {
    const { groupResource, namespace } = this.groupOf(ordinal);
    const name = [namespace, this.nameOf(ordinal)].filter((part) => part !== "").join("/");
    return new AppError(
      "SPOOL_DAMAGED",
      `read ${groupResource} "${name}" from the spool file: the content changed`,
    );
  }

  #groupId(key: SpoolKey): number {
    const text = `${key.groupResource}\n${key.namespace}`;
    const known = this.#groupIds.get(text);
    if (known !== undefined) return known;
    const id = this.#groups.length;
    this.#groups.push({ id, groupResource: key.groupResource, namespace: key.namespace });
    this.#groupIds.set(text, id);
    return id;
  }

  #nameBytes(ordinal: number): Buffer {
    return this.#names.subarray(ordinal === 0 ? 0 : this.#nameEnd[ordinal - 1], this.#nameEnd[ordinal]);
  }

  #slotOf(group: number, name: Buffer): { readonly slot: number; readonly ordinal: number | undefined } {
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash.of(group, name) & mask; ; slot = (slot + 1) & mask) {
      this.#probes += 1;
      const ordinal = (this.#slots[slot] ?? 0) - 1;
      if (ordinal === -1) return { slot, ordinal: undefined };
      if (this.#group[ordinal] === group && this.#nameBytes(ordinal).equals(name)) return { slot, ordinal };
    }
  }

  #grow(nameBytes: number): void {
    const names = (this.#nameEnd[this.#count - 1] ?? 0) + nameBytes;
    if (names > this.#names.length) {
      const grown = Buffer.alloc(Math.max(names, this.#names.length * 2));
      this.#names.copy(grown);
      this.#names = grown;
    }
    if (this.#count === this.#offset.length) {
      const size = this.#count * 2;
      this.#offset = copied(new Float64Array(size), this.#offset);
      this.#length = copied(new Uint32Array(size), this.#length);
      this.#crc = copied(new Uint32Array(size), this.#crc);
      this.#group = copied(new Uint32Array(size), this.#group);
      this.#selected = copied(new Uint8Array(size), this.#selected);
      this.#nameEnd = copied(new Float64Array(size), this.#nameEnd);
    }
    if (this.#count * 2 >= this.#slots.length) this.#rehash();
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#count; at += 1) {
      const { slot } = this.#slotOf(this.#group[at] ?? 0, this.#nameBytes(at));
      this.#slots[slot] = at + 1;
    }
  }
}

function copied<T extends Float64Array | Uint32Array | Uint8Array>(into: T, from: T): T {
  into.set(from);
  return into;
}
