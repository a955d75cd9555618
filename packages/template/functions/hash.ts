import { toBytes } from "../text.ts";
import { type Args, type Context, define, type Func, needed } from "./define.ts";

/** sprig's checksums. */
export const hashes: Readonly<Record<string, Func>> = {
  sha1sum: define("string", (a, context) => digest("sha1", a, context)),
  sha256sum: define("string", (a, context) => digest("sha256", a, context)),
  adler32sum: define("string", (a) => String(adler32(toBytes(a.text(0))))),
};

function digest(algorithm: "sha1" | "sha256", a: Args, { ports, budget }: Context): string {
  budget.spend(a.text(0).length);
  return needed(ports.crypto, `${algorithm}sum`).digest(algorithm, toBytes(a.text(0)));
}

function adler32(bytes: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}
