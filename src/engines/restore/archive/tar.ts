import { AppError } from "../../../errors.ts";

/** What bounds a tar stream: nothing in it may make the reader hold or loop more than this. */
export interface TarLimits {
  /** The largest file that is taken. */
  readonly fileBytes: number;
  /** The most entries of any type. */
  readonly entries: number;
}

/** Who receives the files of an archive. */
export interface TarSink {
  /** Called for every regular file, before its content; false passes over the content. */
  wants(name: string, bytes: number): boolean;
  /** The whole content; the view is only valid during the call. */
  file(name: string, body: Uint8Array): void;
}

const block = 512;
/** Extended headers carry a name and a few times; more than this is an attack. */
const extendedBytes = 64 * 1024;
const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Says that an archive is not one that Velero or Headway writes. */
export function refused(reason: string, cause?: unknown): AppError {
  return new AppError("ARCHIVE_INVALID", `read the backup's archive: ${reason}`, { cause, retry: false });
}

interface Header {
  readonly type: string;
  readonly name: string;
  readonly bytes: number;
}

/**
 * Reads a tar stream pushed in pieces of any size: regular files, folders, and the two ways of writing a long name
 * (pax `path`, GNU `L`). Everything else is refused; nothing is ever written anywhere.
 */
export class TarReader {
  readonly #limits: TarLimits;
  readonly #sink: TarSink;
  #state: "header" | "body" | "padding" | "zeros" | "end" = "header";
  /** A header, or a body that came in pieces; never larger than `fileBytes`. */
  #held: Uint8Array = new Uint8Array(block);
  #heldBytes = 0;
  #header: Header | undefined;
  #take = false;
  #left = 0;
  #padding = 0;
  #longName: string | undefined;
  #entries = 0;

  constructor(sink: TarSink, limits: TarLimits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  /** Takes the next piece of the stream. */
  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      switch (this.#state) {
        case "header":
        case "zeros":
          at = this.#fillHeader(chunk, at);
          break;
        case "body":
          at = this.#fillBody(chunk, at);
          break;
        case "padding": {
          const step = Math.min(this.#padding, chunk.length - at);
          this.#padding -= step;
          at += step;
          if (this.#padding === 0) this.#state = "header";
          break;
        }
        case "end":
          if (!allZero(chunk.subarray(at))) throw refused("there is more after the end of the archive");
          return;
      }
    }
  }

  /** Says that the stream is over: an archive without its end marker was cut. */
  end(): void {
    if (this.#state !== "end") throw refused("it ends in the middle (truncated)");
  }

  #fillHeader(chunk: Uint8Array, at: number): number {
    if (this.#heldBytes === 0 && chunk.length - at >= block) {
      this.#readBlock(chunk.subarray(at, at + block));
      return at + block;
    }
    const step = Math.min(block - this.#heldBytes, chunk.length - at);
    this.#held.set(chunk.subarray(at, at + step), this.#heldBytes);
    this.#heldBytes += step;
    if (this.#heldBytes === block) {
      this.#heldBytes = 0;
      this.#readBlock(this.#held.subarray(0, block));
    }
    return at + step;
  }

  #readBlock(bytes: Uint8Array): void {
    if (allZero(bytes)) {
      this.#state = this.#state === "zeros" ? "end" : "zeros";
      if (this.#longName !== undefined) throw refused("a long name has no file");
      return;
    }
    if (this.#state === "zeros") throw refused("there is more after the end of the archive");
    this.#entries += 1;
    if (this.#entries > this.#limits.entries) {
      throw refused(`it has more than ${this.#limits.entries} entries`);
    }
    this.#start(readHeader(bytes));
  }

  #start(header: Header): void {
    const extended = header.type === "x" || header.type === "L";
    const limit = extended ? extendedBytes : this.#limits.fileBytes;
    if (header.bytes > limit) {
      throw refused(`entry ${show(header.name)} says ${header.bytes} bytes, the limit is ${limit}`);
    }
    if (extended && this.#longName !== undefined) throw refused("two long names follow each other");
    const name = extended ? header.name : (this.#longName ?? header.name);
    if (!extended) this.#longName = undefined;
    this.#header = { ...header, name };
    const isFile = header.type === "0";
    this.#take = extended || (isFile && this.#sink.wants(name, header.bytes));
    this.#left = header.bytes;
    this.#padding = (block - (header.bytes % block)) % block;
    this.#state = "body";
    if (header.bytes === 0) this.#finish(new Uint8Array(0));
  }

  #fillBody(chunk: Uint8Array, at: number): number {
    const size = this.#header?.bytes ?? 0;
    const step = Math.min(this.#left, chunk.length - at);
    const piece = chunk.subarray(at, at + step);
    this.#left -= step;
    if (!this.#take) {
      if (this.#left === 0) this.#finish(undefined);
    } else if (step === size) {
      this.#finish(piece);
    } else {
      this.#hold(piece, size);
      if (this.#left === 0) {
        this.#heldBytes = 0;
        this.#finish(this.#held.subarray(0, size));
      }
    }
    return at + step;
  }

  /** Grows the buffer by what has really arrived, so that a header's claim alone costs no memory. */
  #hold(piece: Uint8Array, size: number): void {
    const need = this.#heldBytes + piece.length;
    if (need > this.#held.length) {
      const grown = new Uint8Array(Math.min(Math.max(size, block), Math.max(need, this.#held.length * 2)));
      grown.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = grown;
    }
    this.#held.set(piece, this.#heldBytes);
    this.#heldBytes = need;
  }

  #finish(body: Uint8Array | undefined): void {
    const header = this.#header;
    this.#state = this.#padding === 0 ? "header" : "padding";
    if (header === undefined || body === undefined || !this.#take) return;
    if (header.type === "x") this.#longName = paxPath(body);
    else if (header.type === "L") this.#longName = gnuName(body);
    else this.#sink.file(header.name, body);
  }
}

function readHeader(bytes: Uint8Array): Header {
  const stored = octal(bytes.subarray(148, 156), "checksum");
  if (stored !== checksum(bytes)) throw refused("a header's checksum is wrong");
  const magic = latin1.decode(bytes.subarray(257, 263));
  if (magic !== "ustar\0" && magic !== "ustar ") throw refused("it is not a ustar, pax or GNU archive");
  const type = String.fromCharCode(bytes[156] ?? 0).replace("\0", "0");
  const prefix = magic === "ustar\0" ? field(bytes.subarray(345, 500)) : "";
  const base = field(bytes.subarray(0, 100));
  const name = prefix === "" ? base : `${prefix}/${base}`;
  if (!"05xL".includes(type)) throw refused(`entry ${show(name)} is ${kindOf(type)}`);
  const size = octal(bytes.subarray(124, 136), "size");
  if (type === "5" && size !== 0) throw refused(`folder ${show(name)} has a content`);
  return { type, name, bytes: size };
}

/** The unsigned sum of the header with its checksum field read as spaces. */
function checksum(bytes: Uint8Array): number {
  let sum = 8 * 32;
  for (let at = 0; at < block; at += 1) {
    if (at < 148 || at >= 156) sum += bytes[at] ?? 0;
  }
  return sum;
}

/** Text up to its NUL; what follows must be empty, or two readers would see two names. */
function field(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  if (end === -1) return decode(bytes);
  if (!allZero(bytes.subarray(end))) throw refused("a name holds a NUL character");
  return decode(bytes.subarray(0, end));
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw refused("a name is not UTF-8", error);
  }
}

/** Octal digits only: the base-256 form is for sizes and negatives that no backup has. */
function octal(bytes: Uint8Array, what: string): number {
  if (((bytes[0] ?? 0) & 0x80) !== 0) throw refused(`a header's ${what} is negative or enormous`);
  const text = latin1.decode(bytes).replace(/^ +/, "");
  const match = /^([0-7]+)[ \0]*$/.exec(text);
  if (match?.[1] === undefined) throw refused(`a header's ${what} is no number`);
  return Number.parseInt(match[1], 8);
}

/** The name that a pax header gives; records that would change the file's meaning are refused. */
function paxPath(body: Uint8Array): string | undefined {
  let path: string | undefined;
  for (const [key, value] of paxRecords(body)) {
    if (key === "path") {
      if (path !== undefined) throw refused("a pax header names its file twice");
      if (value === "" || value.includes("\0")) throw refused("a pax header's name is empty or holds a NUL");
      path = value;
    } else if (key === "size" || key === "linkpath" || key.startsWith("GNU.sparse")) {
      throw refused(`a pax header overrides "${key}"`);
    }
  }
  return path;
}

function* paxRecords(body: Uint8Array): Generator<readonly [string, string]> {
  let at = 0;
  while (at < body.length) {
    const space = body.indexOf(32, at);
    const digits = space === -1 ? "" : latin1.decode(body.subarray(at, space));
    const length = /^[1-9][0-9]{0,6}$/.test(digits) ? Number(digits) : 0;
    if (length === 0 || at + length > body.length || body[at + length - 1] !== 10) {
      throw refused("a pax header is malformed");
    }
    const record = decode(body.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    if (equals < 1) throw refused("a pax header is malformed");
    yield [record.slice(0, equals), record.slice(equals + 1)];
    at += length;
  }
}

function gnuName(body: Uint8Array): string {
  const name = field(body);
  if (name === "") throw refused("a long name is empty");
  return name;
}

function kindOf(type: string): string {
  if (type === "1" || type === "2") return "a link";
  if (type === "3" || type === "4" || type === "6") return "a device";
  if (type === "g") return "a global header";
  return `of an unknown type ${show(type)}`;
}

/** A name as it may be shown: escaped, so that it cannot drive a terminal, and short. */
export function show(name: string): string {
  const text = JSON.stringify(name.length > 120 ? `${name.slice(0, 120)}…` : name);
  return text.replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function allZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}
