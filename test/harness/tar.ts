import { gzipSync } from "node:zlib";

/** One entry of a tar archive, honest or not; every field of the header can be forged. */
export interface TarEntry {
  readonly name: string;
  readonly body?: string | Uint8Array;
  readonly type?: string;
  /** The size as the header says it; octal text, or raw bytes. */
  readonly size?: string | Uint8Array;
  readonly prefix?: string;
  readonly link?: string;
  readonly magic?: string;
  readonly checksum?: number;
}

/** A tar block sequence for the entries, with the end marker unless told otherwise. */
export function tar(entries: readonly TarEntry[], options: { readonly end?: boolean } = {}): Buffer {
  const parts = entries.flatMap((entry) => tarEntry(entry));
  if (options.end !== false) parts.push(Buffer.alloc(1024));
  return Buffer.concat(parts);
}

/** The same, compressed, in pieces as a store would hand them out. */
export function tarGz(entries: readonly TarEntry[], options: { readonly end?: boolean } = {}): Buffer {
  return gzipSync(tar(entries, options));
}

/** One pax record with its own length in front. */
export function pax(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest) + 1;
  while (String(length).length + Buffer.byteLength(rest) !== length) length += 1;
  return `${length}${rest}`;
}

function tarEntry(entry: TarEntry): Buffer[] {
  const body = Buffer.from(entry.body ?? "");
  const header = Buffer.alloc(512);
  header.write(entry.name, 0, 100);
  header.write("0000755\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  const size = entry.size ?? `${body.length.toString(8).padStart(11, "0")}\0`;
  header.set(typeof size === "string" ? Buffer.from(size) : size, 124);
  header.write("00000000000\0", 136);
  header.write("        ", 148);
  header.write(entry.type ?? "0", 156);
  header.write(entry.link ?? "", 157, 100);
  header.write(entry.magic ?? "ustar\0", 257, 6);
  header.write("00", 263);
  header.write(entry.prefix ?? "", 345, 155);
  const sum = entry.checksum ?? header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
}
