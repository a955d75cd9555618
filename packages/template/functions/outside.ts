import { CallError } from "../error.ts";
import { chars, runeText } from "../text.ts";
import { type Context, define, type Func, needed } from "./define.ts";

const digits = range(48, 57);
const letters = [...range(65, 90), ...range(97, 122)];

/** What reaches outside: each works when its port was given, and says so when it was not. */
export const outside: Readonly<Record<string, Func>> = {
  env: define("string", (a, { ports }) => needed(ports.env, "env")(a.text(0)) ?? ""),
  expandenv: define("string", (a, { ports }) => expandEnv(a.text(0), needed(ports.env, "expandenv"))),
  getHostByName: define("string", (a, { ports }) => needed(ports.host, "getHostByName")(a.text(0))),
  randAlphaNum: define("int", (a, context) => randomText(a.int(0), [...digits, ...letters], context)),
  randAlpha: define("int", (a, context) => randomText(a.int(0), letters, context)),
  randNumeric: define("int", (a, context) => randomText(a.int(0), digits, context)),
  randAscii: define("int", (a, context) => randomText(a.int(0), range(32, 126), context)),
  shuffle: define("string", (a, context) => shuffled(a.text(0), context)),
  uuidv4: define("", (_, context) => uuid(random(16, context))),
  genPrivateKey: define("string", (a, { ports }) => {
    if (!["", "rsa", "dsa", "ecdsa"].includes(a.text(0))) return `Unknown type ${a.text(0)}`;
    return needed(ports.privateKey, "genPrivateKey")(a.text(0));
  }),
  derivePassword: define("uint32 string string string string", () => absent("derivePassword")),
  buildCustomCert: define("string string", () => absent("buildCustomCert")),
  genCA: define("string int", () => absent("genCA")),
  genSelfSignedCert: define("string any any int", () => absent("genSelfSignedCert")),
  genSignedCert: define("string any any int any", () => absent("genSignedCert")),
};

function absent(name: string): never {
  throw new CallError(`${name} is not available here`);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

function random(count: number, { ports, budget }: Context): Uint8Array {
  budget.text(count);
  return needed(ports.random, "randomness")(count);
}

function randomText(count: number, from: readonly number[], context: Context): string {
  if (count <= 0) return "";
  let out = "";
  // Bytes past the last whole multiple are thrown away, so that no character is likelier than another.
  const fair = 256 - (256 % from.length);
  while (out.length < count) {
    for (const byte of random(count - out.length + 16, context)) {
      if (byte < fair && out.length < count) out += runeText(from[byte % from.length] ?? 0);
    }
  }
  return out;
}

function shuffled(text: string, context: Context): string {
  const all = chars(text);
  const bytes = random(all.length * 4, context);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = all.length - 1; i > 0; i -= 1) {
    const j = view.getUint32(i * 4) % (i + 1);
    [all[i], all[j]] = [all[j] ?? "", all[i] ?? ""];
  }
  return all.join("");
}

function uuid(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte, i) => {
    const value = i === 6 ? (byte & 0x0f) | 0x40 : i === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, "0");
  }).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    "-",
  );
}

/** Go's os.Expand over the environment. */
function expandEnv(text: string, env: (name: string) => string | undefined): string {
  return text.replace(
    /\$(?:\{([^}]*)\}|([*#$@!?\-0-9])|(\w+))/g,
    (_, braced?: string, special?: string, name?: string) => {
      return env(braced ?? special ?? name ?? "") ?? "";
    },
  );
}
