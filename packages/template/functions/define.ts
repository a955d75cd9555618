import type { Budget } from "../budget.ts";
import { CallError } from "../error.ts";
import { Dict, Int, mapOf, type Time, type Type, types, type Value, type Zone } from "../value.ts";

/** What reaches outside comes in from outside; what is absent fails when it is called. */
export interface Ports {
  /** The clock, in milliseconds since 1970. */
  readonly nowMs?: () => number;
  /** Random bytes, for randAlpha and its kin, uuidv4, shuffle and encryptAES. */
  readonly random?: (count: number) => Uint8Array;
  /** The compiled tz file of a zone, by name. */
  readonly zoneFile?: (name: string) => Uint8Array | undefined;
  /** The local zone's name; UTC when absent. */
  readonly localZone?: string;
  /** An environment variable, for env and expandenv. */
  readonly env?: (name: string) => string | undefined;
  /** An address of a host, for getHostByName. */
  readonly host?: (name: string) => string;
  /** Checksums and ciphers, for sha1sum, sha256sum, encryptAES and decryptAES. */
  readonly crypto?: Crypto;
  /** A new private key in PEM, for genPrivateKey; may refuse a type by throwing. */
  readonly privateKey?: (type: string) => string;
}

/** The cryptography that sprig needs. */
export interface Crypto {
  /** In lower-case hexadecimal. */
  digest(algorithm: "sha1" | "sha256", bytes: Uint8Array): string;
  /** Whole blocks of 16 bytes in, as many out: no padding is added or taken off. */
  aes256Cbc(
    direction: "encrypt" | "decrypt",
    key: Uint8Array,
    iv: Uint8Array,
    blocks: Uint8Array,
  ): Uint8Array;
}

/** A port, or the refusal of the function that needs it. */
export function needed<T>(port: T | undefined, name: string): T {
  if (port === undefined) throw new CallError(`${name} is not available here`);
  return port;
}

/** What a function is given besides its arguments. */
export interface Context {
  readonly budget: Budget;
  readonly ports: Ports;
  /** A zone by name, as time.LoadLocation finds it. */
  readonly zone: (name: string) => Zone | undefined;
}

/** A function that templates can call. */
export interface Func {
  readonly params: readonly Type[];
  readonly variadic: boolean;
  readonly call: (args: Args, context: Context) => Value;
}

/** A parameter that takes any value without looking at it. */
export const valueType: Type = { name: "reflect.Value", kind: "struct" };
/** The type of map[string]interface{} parameters. */
export const dictType: Type = mapOf(types.any);

const byName: Readonly<Record<string, Type>> = {
  any: types.any,
  value: valueType,
  string: types.string,
  int: types.int,
  uint32: types.uint32,
  bool: types.bool,
  float64: types.float64,
  dict: dictType,
  time: types.time,
};

/** Declares a function: its parameters ("int string any..."), then what it does. */
export function define(signature: string, call: Func["call"]): Func {
  const words = signature === "" ? [] : signature.split(" ");
  const variadic = signature.endsWith("...");
  const params = words.map((word) => {
    const type = byName[word.replace("...", "")];
    if (type === undefined) throw new Error(`no parameter type "${word}"`);
    return type;
  });
  return { params, variadic, call };
}

/** Arguments, already checked against their parameters. */
export class Args {
  readonly #values: readonly Value[];
  constructor(values: readonly Value[]) {
    this.#values = values;
  }
  get length(): number {
    return this.#values.length;
  }
  any(index: number): Value {
    return this.#values[index];
  }
  rest(index: number): readonly Value[] {
    return index === 0 ? this.#values : this.#values.slice(index);
  }
  text(index: number): string {
    const value = this.#values[index];
    return typeof value === "string" ? value : this.#wrong(index);
  }
  texts(index: number): readonly string[] {
    return this.rest(index).map((_, i) => this.text(index + i));
  }
  /** An int as a number; beyond 2^53 it is only near, which no caller of ours can tell. */
  int(index: number): number {
    const value = this.#values[index];
    return value instanceof Int ? Number(value.value) : this.#wrong(index);
  }
  bigint(index: number): bigint {
    const value = this.#values[index];
    return value instanceof Int ? value.value : this.#wrong(index);
  }
  float(index: number): number {
    const value = this.#values[index];
    return typeof value === "number" ? value : this.#wrong(index);
  }
  bool(index: number): boolean {
    const value = this.#values[index];
    return typeof value === "boolean" ? value : this.#wrong(index);
  }
  dict(index: number): Dict {
    const value = this.#values[index];
    return value instanceof Dict ? value : this.#wrong(index);
  }
  dicts(index: number): readonly Dict[] {
    return this.rest(index).map((_, i) => this.dict(index + i));
  }
  time(index: number): Time {
    const value = this.#values[index];
    return typeof value === "object" && value !== null && "nanos" in value ? value : this.#wrong(index);
  }
  #wrong(index: number): never {
    throw new CallError(`argument ${index + 1} has the wrong type`);
  }
}

/** What Go says when an index is out of its range. */
export function outOfRange(what: string): never {
  throw new CallError(`runtime error: slice bounds out of range ${what}`);
}
