import type { FileEntry } from "../movers/index.ts";

const block = 512;

/** What stands before the bytes of a file in a tar, and after them. Long names are written as GNU tar does, which small tars read too. */
export function tarOfFile(entry: FileEntry): { readonly head: Buffer; readonly tail: Buffer } {
  const bytes = entry.bytes ?? 0;
  const name = Buffer.from(entry.name);
  const long =
    name.length <= 100
      ? []
      : [header({ name: "././@LongLink", bytes: name.length + 1, type: "L", mode: 0o644 }), padded(name)];
  const head = Buffer.concat([...long, header({ ...entry, bytes, type: "0", mode: entry.mode ?? 0o644 })]);
  return { head, tail: Buffer.alloc(paddingOf(bytes) + 2 * block) };
}

interface Header {
  readonly name: string;
  readonly bytes: number;
  readonly type: string;
  readonly mode: number;
  readonly modified?: string;
  readonly uid?: number;
  readonly gid?: number;
}

function header({ name, bytes, type, mode, modified, uid = 0, gid = 0 }: Header): Buffer {
  const out = Buffer.alloc(block);
  Buffer.from(name).copy(out, 0, 0, 100);
  const seconds = Math.max(0, Math.floor(Date.parse(modified ?? "") / 1000) || 0);
  out.write(octal(mode, 8), 100);
  number(out, uid, 108, 8);
  number(out, gid, 116, 8);
  number(out, bytes, 124, 12);
  number(out, seconds, 136, 12);
  out.write("        ", 148);
  out.write(type, 156);
  out.write("ustar  \0", 257);
  const sum = out.reduce((total, byte) => total + byte, 0);
  out.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return out;
}

/** Octal text; what does not fit is written as GNU tar writes it, in bytes after a mark. */
function number(out: Buffer, value: number, at: number, width: number): void {
  if (value < 8 ** (width - 1)) return void out.write(octal(value, width), at);
  out[at] = 0x80;
  let rest = value;
  for (let i = width - 1; i > 0; i -= 1) {
    out[at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

function padded(name: Buffer): Buffer {
  return Buffer.concat([name, Buffer.alloc(1 + paddingOf(name.length + 1))]);
}

function paddingOf(bytes: number): number {
  return (block - (bytes % block)) % block;
}
