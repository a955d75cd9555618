import { CallError } from "../error.ts";
import { fromBytes, toBytes } from "../text.ts";
import { base64, fromBase64 } from "./base.ts";
import { type Context, define, type Func } from "./define.ts";

const size = 16;

/** sprig's AES-256 in CBC: the key is the password, cut or filled up with zeros. */
export const aes: Readonly<Record<string, Func>> = {
  encryptAES: define("string string", (a, context) =>
    a.text(1) === "" ? "" : encrypt(keyOf(a.text(0)), toBytes(a.text(1)), context),
  ),
  decryptAES: define("string string", (a) =>
    a.text(1) === "" ? "" : decrypt(keyOf(a.text(0)), fromBase64(a.text(1)), a.text(1).length),
  ),
};

function keyOf(password: string): Uint8Array {
  const key = new Uint8Array(32);
  key.set(toBytes(password).subarray(0, 32));
  return key;
}

function encrypt(key: Uint8Array, plain: Uint8Array, { ports, budget }: Context): string {
  if (ports.random === undefined) throw new CallError("there is no randomness here");
  budget.spend(plain.length * 16);
  const padding = size - (plain.length % size);
  const content = new Uint8Array(plain.length + padding).fill(padding);
  content.set(plain);
  const out = new Uint8Array(size + content.length);
  out.set(ports.random(size).subarray(0, size));
  const schedule = expandKey(key);
  for (let at = 0; at < content.length; at += size) {
    const block = content.subarray(at, at + size).map((byte, i) => byte ^ (out[at + i] ?? 0));
    out.set(encryptBlock(block, schedule), at + size);
  }
  return base64(out);
}

function decrypt(key: Uint8Array, sealed: Uint8Array, digits: number): string {
  if (sealed.length < size)
    throw new CallError(
      `runtime error: slice bounds out of range [:16] with capacity ${Math.floor(digits / 4) * 3}`,
    );
  if (sealed.length % size !== 0) throw new CallError("crypto/cipher: input not full blocks");
  const schedule = expandKey(key);
  const out = new Uint8Array(sealed.length - size);
  for (let at = size; at < sealed.length; at += size) {
    const block = decryptBlock(sealed.subarray(at, at + size), schedule);
    out.set(
      block.map((byte, i) => byte ^ (sealed[at - size + i] ?? 0)),
      at - size,
    );
  }
  const last = out.at(-1);
  if (last === undefined) throw new CallError("runtime error: index out of range [-1]");
  if (last > out.length)
    throw new CallError(`runtime error: slice bounds out of range [:${out.length - last}]`);
  return fromBytes(out.subarray(0, out.length - last));
}

const double = (x: number) => ((x << 1) ^ (x & 0x80 ? 0x11b : 0)) & 0xff;

function multiply(a: number, b: number): number {
  let out = 0;
  for (let x = a, y = b; y > 0; y >>= 1, x = double(x)) if (y & 1) out ^= x;
  return out;
}

/** The substitution box, from the inverse in the field and the affine map of the standard. */
const box = Uint8Array.from({ length: 256 }, (_, value) => {
  let inverse = 0;
  for (let candidate = 1; candidate < 256 && value > 0; candidate += 1) {
    if (multiply(value, candidate) === 1) {
      inverse = candidate;
      break;
    }
  }
  let out = 0x63;
  for (let turn = 0; turn < 5; turn += 1) out ^= ((inverse << turn) | (inverse >> (8 - turn))) & 0xff;
  return out;
});
const unbox = (() => {
  const out = new Uint8Array(256);
  for (const [from, to] of box.entries()) out[to] = from;
  return out;
})();

function expandKey(key: Uint8Array): Uint8Array {
  const out = new Uint8Array(240);
  out.set(key);
  let constant = 1;
  for (let at = 32; at < 240; at += 4) {
    let word = out.slice(at - 4, at);
    if (at % 32 === 0) {
      word = Uint8Array.of(word[1] ?? 0, word[2] ?? 0, word[3] ?? 0, word[0] ?? 0).map(
        (byte) => box[byte] ?? 0,
      );
      word[0] = (word[0] ?? 0) ^ constant;
      constant = double(constant);
    } else if (at % 32 === 16) word = word.map((byte) => box[byte] ?? 0);
    for (let i = 0; i < 4; i += 1) out[at + i] = (out[at - 32 + i] ?? 0) ^ (word[i] ?? 0);
  }
  return out;
}

const rounds = 14;

function encryptBlock(block: Uint8Array, schedule: Uint8Array): Uint8Array {
  let state = addKey(block, schedule, 0);
  for (let round = 1; round <= rounds; round += 1) {
    const boxed = state;
    state = Uint8Array.from({ length: size }, (_, i) => box[boxed[(i + 4 * (i % 4)) % size] ?? 0] ?? 0);
    if (round < rounds) state = mix(state, [2, 3, 1, 1]);
    state = addKey(state, schedule, round);
  }
  return state;
}

function decryptBlock(block: Uint8Array, schedule: Uint8Array): Uint8Array {
  let state = addKey(block, schedule, rounds);
  for (let round = rounds - 1; round >= 0; round -= 1) {
    const boxed = state;
    state = Uint8Array.from({ length: size }, (_, i) => unbox[boxed[(i + 12 * (i % 4)) % size] ?? 0] ?? 0);
    state = addKey(state, schedule, round);
    if (round > 0) state = mix(state, [14, 11, 13, 9]);
  }
  return state;
}

function addKey(state: Uint8Array, schedule: Uint8Array, round: number): Uint8Array {
  return state.map((byte, i) => byte ^ (schedule[round * size + i] ?? 0));
}

function mix(state: Uint8Array, factors: readonly number[]): Uint8Array {
  return state.map((_, i) => {
    const column = i - (i % 4);
    let out = 0;
    for (let j = 0; j < 4; j += 1) out ^= multiply(state[column + ((i + j) % 4)] ?? 0, factors[j] ?? 0);
    return out;
  });
}
