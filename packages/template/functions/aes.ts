import { CallError } from "../error.ts";
import { fromBytes, toBytes } from "../text.ts";
import { base64, fromBase64 } from "./base.ts";
import { type Context, define, type Func, needed } from "./define.ts";

const size = 16;

/** sprig's AES-256 in CBC: the key is the password, cut or filled up with zeros. */
export const aes: Readonly<Record<string, Func>> = {
  encryptAES: define("string string", (a, context) =>
    a.text(1) === "" ? "" : encrypt(keyOf(a.text(0)), toBytes(a.text(1)), context),
  ),
  decryptAES: define("string string", (a, context) =>
    a.text(1) === "" ? "" : decrypt(keyOf(a.text(0)), fromBase64(a.text(1)), a.text(1).length, context),
  ),
};

function keyOf(password: string): Uint8Array {
  const key = new Uint8Array(32);
  key.set(toBytes(password).subarray(0, 32));
  return key;
}

function encrypt(key: Uint8Array, plain: Uint8Array, { ports, budget }: Context): string {
  if (ports.random === undefined) throw new CallError("there is no randomness here");
  budget.spend(plain.length);
  const padding = size - (plain.length % size);
  const content = new Uint8Array(plain.length + padding).fill(padding);
  content.set(plain);
  const iv = ports.random(size).subarray(0, size);
  const sealed = needed(ports.crypto, "encryptAES").aes256Cbc("encrypt", key, iv, content);
  const out = new Uint8Array(size + sealed.length);
  out.set(iv);
  out.set(sealed, size);
  return base64(out);
}

function decrypt(key: Uint8Array, sealed: Uint8Array, digits: number, { ports, budget }: Context): string {
  if (sealed.length < size)
    throw new CallError(
      `runtime error: slice bounds out of range [:16] with capacity ${Math.floor(digits / 4) * 3}`,
    );
  if (sealed.length % size !== 0) throw new CallError("crypto/cipher: input not full blocks");
  budget.spend(sealed.length);
  const [iv, blocks] = [sealed.subarray(0, size), sealed.subarray(size)];
  const out = needed(ports.crypto, "decryptAES").aes256Cbc("decrypt", key, iv, blocks);
  const last = out.at(-1);
  if (last === undefined) throw new CallError("runtime error: index out of range [-1]");
  if (last > out.length)
    throw new CallError(`runtime error: slice bounds out of range [:${out.length - last}]`);
  return fromBytes(out.subarray(0, out.length - last));
}
