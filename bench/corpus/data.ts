import { randomFillSync } from "node:crypto";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A repeatable source of chance, 0..1. */
export type Chance = () => number;

/** Mulberry32. */
export function chance(seed: number): Chance {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A factor around 1 whose logarithm has this spread. */
export function factor(next: Chance, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return Math.exp(spread * normal);
}

const block = Buffer.alloc(1 << 20);

/** Bytes that no mover can make smaller. */
export function noise(path: string, bytes: number): void {
  write(path, bytes, (piece) => randomFillSync(piece));
}

/** Bytes of which this share can be squeezed out. */
export function soft(path: string, bytes: number, share: number): void {
  write(path, bytes, (piece) => {
    randomFillSync(piece);
    for (let at = 0; at < piece.length; at += 4096)
      piece.fill("headway ", at, Math.min(piece.length, at + Math.floor(4096 * share)));
  });
}

/** A file with holes: of each 4 MiB this share is data. */
export function holed(path: string, bytes: number, share: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  const step = 4 << 20;
  for (let at = 0; at < bytes; at += step) {
    const length = Math.min(block.length, Math.floor(Math.min(step, bytes - at) * share));
    randomFillSync(block);
    writeSync(file, block, 0, length, at);
  }
  ftruncateSync(file, bytes);
  closeSync(file);
}

/** Many files of this mean size in folders of a hundred. */
export function crowd(folder: string, count: number, bytes: number, next: Chance): void {
  for (let i = 0; i < count; i++)
    noise(
      join(folder, `d${Math.floor(i / 100)}`, `f${i}`),
      Math.max(1, Math.floor(bytes * factor(next, 0.7))),
    );
}

/** Writes a share of the files anew. */
export function touch(folder: string, share: number, next: Chance): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || next() >= share) continue;
    const path = join(entry.parentPath, entry.name);
    noise(path, statSync(path).size);
  }
}

/** Adds bytes at the end of a file. */
export function append(path: string, bytes: number): void {
  const file = openSync(path, "a");
  for (let left = bytes; left > 0; ) {
    const piece = block.subarray(0, Math.min(left, block.length));
    randomFillSync(piece);
    writeSync(file, piece);
    left -= piece.length;
  }
  closeSync(file);
}

/** Empties a folder. */
export function clear(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

function write(path: string, bytes: number, fill: (piece: Buffer) => void): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w");
  for (let left = bytes; left > 0; ) {
    const piece = block.subarray(0, Math.min(left, block.length));
    fill(piece);
    writeSync(file, piece);
    left -= piece.length;
  }
  closeSync(file);
}
