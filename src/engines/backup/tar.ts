const block = 512;
/** Two empty blocks end an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * block);

/** The header of a regular file. Names that ustar cannot hold (long, or not ASCII) get a pax header in front. */
export function tarHeader(name: string, bytes: number, mtimeSeconds: number): Buffer {
  const split = splitName(name);
  if (split) return header(split.name, split.prefix, bytes, mtimeSeconds, "0");
  const record = paxRecord("path", name);
  const short = `PaxHeaders.0/${name.replace(/[^\x20-\x7e]/g, "_").slice(-80)}`;
  return Buffer.concat([
    header(short, "", record.length, mtimeSeconds, "x"),
    record,
    padding(record.length),
    header(short.slice(0, 100), "", bytes, mtimeSeconds, "0"),
  ]);
}

/** Zeros up to the next block. */
export function padding(bytes: number): Buffer {
  return zeros.subarray(0, (block - (bytes % block)) % block);
}

const zeros = Buffer.alloc(block);

/** ustar holds 100 bytes of name and 155 of prefix, cut at a slash. */
function splitName(path: string): { readonly name: string; readonly prefix: string } | undefined {
  if (/[^\x20-\x7e]/.test(path)) return undefined;
  if (path.length <= 100) return { name: path, prefix: "" };
  const cut = path.indexOf("/", path.length - 101);
  if (cut <= 0 || cut > 155 || cut === path.length - 1) return undefined;
  return { name: path.slice(cut + 1), prefix: path.slice(0, cut) };
}

function header(name: string, prefix: string, bytes: number, mtime: number, type: "0" | "x"): Buffer {
  const head = Buffer.alloc(block);
  head.write(name, 0, 100, "latin1");
  head.write("0000755\0" + "0000000\0" + "0000000\0", 100, "latin1");
  head.write(`${octal(bytes, 11)} ${octal(mtime, 11)} `, 124, "latin1");
  head.write("        ", 148, "latin1");
  head.write(type, 156, "latin1");
  head.write("ustar\x0000", 257, "latin1");
  head.write(prefix, 345, 155, "latin1");
  let sum = 0;
  for (let i = 0; i < block; i += 1) sum += head[i] ?? 0;
  head.write(`${octal(sum, 6)}\0 `, 148, "latin1");
  return head;
}

function octal(value: number, width: number): string {
  return Math.floor(value).toString(8).padStart(width, "0");
}

/** `LEN key=value\n`, where LEN counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
}
