import { toBytes } from "../text.ts";
import { define, type Func } from "./define.ts";

/** sprig's checksums. */
export const hashes: Readonly<Record<string, Func>> = {
  sha1sum: define("string", (a, { budget }) => {
    budget.spend(a.text(0).length);
    return sha1(toBytes(a.text(0)));
  }),
  sha256sum: define("string", (a, { budget }) => {
    budget.spend(a.text(0).length);
    return sha256(toBytes(a.text(0)));
  }),
  adler32sum: define("string", (a) => String(adler32(toBytes(a.text(0))))),
};

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

/** The message with its padding and length, as both hashes want it. */
function blocks(bytes: Uint8Array): DataView {
  const size = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(size - 8, BigInt(bytes.length) * 8n);
  return view;
}

const rotateLeft = (x: number, n: number) => (x << n) | (x >>> (32 - n));
const rotateRight = (x: number, n: number) => (x >>> n) | (x << (32 - n));
const hex = (words: Iterable<number>) =>
  Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");

function sha1(bytes: Uint8Array): string {
  const view = blocks(bytes);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const w = new Int32Array(80);
  const word = (i: number) => w[i] ?? 0;
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 80; i += 1)
      w[i] = rotateLeft(word(i - 3) ^ word(i - 8) ^ word(i - 14) ^ word(i - 16), 1);
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = state;
    for (let i = 0; i < 80; i += 1) {
      const turn = Math.floor(i / 20);
      const f = turn === 0 ? (b & c) | (~b & d) : turn === 2 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
      const k = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6][turn] ?? 0;
      const next = (rotateLeft(a, 5) + f + e + k + word(i)) | 0;
      [e, d, c, b, a] = [d, c, rotateLeft(b, 30), a, next];
    }
    for (const [i, value] of [a, b, c, d, e].entries()) state[i] = ((state[i] ?? 0) + value) | 0;
  }
  return hex(state);
}

const primes = (() => {
  const out: number[] = [];
  for (let n = 2; out.length < 64; n += 1) if (out.every((p) => n % p !== 0)) out.push(n);
  return out;
})();
const fraction = (x: number) => ((x - Math.floor(x)) * 2 ** 32) | 0;
const constants = primes.map((p) => fraction(Math.cbrt(p)));
const start = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));

function sha256(bytes: Uint8Array): string {
  const view = blocks(bytes);
  const state = Int32Array.from(start);
  const w = new Int32Array(64);
  const word = (i: number) => w[i] ?? 0;
  for (let at = 0; at < view.byteLength; at += 64) {
    for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 64; i += 1) {
      const s0 = rotateRight(word(i - 15), 7) ^ rotateRight(word(i - 15), 18) ^ (word(i - 15) >>> 3);
      const s1 = rotateRight(word(i - 2), 17) ^ rotateRight(word(i - 2), 19) ^ (word(i - 2) >>> 10);
      w[i] = (word(i - 16) + s0 + word(i - 7) + s1) | 0;
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < 64; i += 1) {
      const s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
      const one = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + word(i)) | 0;
      const s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = ((state[i] ?? 0) + value) | 0;
  }
  return hex(state);
}
