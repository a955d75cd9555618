import { CallError } from "../error.ts";
import { fromBytes, toBytes } from "../text.ts";
import { define, type Func } from "./define.ts";

const alphabet64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const alphabet32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** sprig's encodings; a text that cannot be decoded gives the error's text. */
export const encodings: Readonly<Record<string, Func>> = {
  b64enc: define("string", (a) => base64(toBytes(a.text(0)))),
  b64dec: define("string", (a) => decoded(() => fromBase64(a.text(0)))),
  b32enc: define("string", (a) => encode(toBytes(a.text(0)), alphabet32, 5, 8)),
  b32dec: define("string", (a) => decoded(() => fromBase32(a.text(0)))),
};

function decoded(make: () => Uint8Array): string {
  try {
    return fromBytes(make());
  } catch (error) {
    if (error instanceof CallError) return error.message;
    throw error;
  }
}

/** Standard base64. */
export function base64(bytes: Uint8Array): string {
  return encode(bytes, alphabet64, 6, 4);
}

function encode(bytes: Uint8Array, alphabet: string, bits: number, group: number): string {
  const out: string[] = [];
  let buffer = 0;
  let held = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff_ffff;
    held += 8;
    while (held >= bits) {
      held -= bits;
      out.push(alphabet[(buffer >> held) & ((1 << bits) - 1)] ?? "");
    }
  }
  if (held > 0) out.push(alphabet[(buffer << (bits - held)) & ((1 << bits) - 1)] ?? "");
  while (out.length % group !== 0) out.push("=");
  return out.join("");
}

/** Collects digits into bytes. */
class Collector {
  readonly out: number[] = [];
  readonly #bits: number;
  #buffer = 0;
  #held = 0;
  constructor(bits: number) {
    this.#bits = bits;
  }
  add(digit: number): void {
    this.#buffer = ((this.#buffer << this.#bits) | digit) & 0xfff_ffff;
    this.#held += this.#bits;
    if (this.#held < 8) return;
    this.#held -= 8;
    this.out.push((this.#buffer >> this.#held) & 0xff);
  }
}

/** The bytes of standard base64; line ends are skipped. Throws CallError in Go's words. */
export function fromBase64(text: string): Uint8Array {
  const bytes = toBytes(text);
  const places = [...bytes.keys()].filter((at) => bytes[at] !== 10 && bytes[at] !== 13);
  const collector = new Collector(6);
  const wrong = (at: number): never => {
    throw new CallError(`illegal base64 data at input byte ${at}`);
  };
  for (const [i, at] of places.entries()) {
    const byte = bytes[at] ?? 0;
    const digits = i % 4;
    if (byte === 61) {
      if (digits < 2) wrong(at);
      const second = places[i + 1];
      if (digits === 2 && second === undefined) wrong(bytes.length);
      if (digits === 2 && second !== undefined && bytes[second] !== 61) wrong(second - 1);
      const after = places[i + (digits === 2 ? 2 : 1)];
      if (after !== undefined) wrong(after);
      return Uint8Array.from(collector.out);
    }
    const digit = byte < 0x80 ? alphabet64.indexOf(String.fromCharCode(byte)) : -1;
    if (digit < 0) wrong(at);
    collector.add(digit);
  }
  if (places.length % 4 !== 0) wrong(bytes.length - (places.length % 4));
  return Uint8Array.from(collector.out);
}

/** The bytes of standard base32; places in errors do not count line ends, as in Go. */
function fromBase32(text: string): Uint8Array {
  const bytes = toBytes(text).filter((byte) => byte !== 10 && byte !== 13);
  const collector = new Collector(5);
  const wrong = (at: number): never => {
    throw new CallError(`illegal base32 data at input byte ${at}`);
  };
  for (const [at, byte] of bytes.entries()) {
    const digits = at % 8;
    const left = bytes.length - at - 1;
    if (byte === 61 && digits >= 2 && left < 8) {
      if (left + digits < 7) wrong(bytes.length);
      for (let k = 0; k < 7 - digits; k += 1) if (k < left && bytes[at + 1 + k] !== 61) wrong(at + k);
      if (digits === 3 || digits === 6) wrong(at);
      return Uint8Array.from(collector.out);
    }
    const digit = byte < 0x80 ? alphabet32.indexOf(String.fromCharCode(byte)) : -1;
    if (digit < 0) wrong(at);
    collector.add(digit);
  }
  if (bytes.length % 8 !== 0) wrong(bytes.length - (bytes.length % 8));
  return Uint8Array.from(collector.out);
}
