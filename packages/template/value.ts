/** What reflect.Kind says of a value. */
export type Kind =
  | IntKind
  | "bool"
  | "float64"
  | "complex128"
  | "string"
  | "slice"
  | "map"
  | "struct"
  | "ptr"
  | "interface"
  | "invalid";
type IntKind = SignedKind | "uint" | "uint8" | "uint16" | "uint32" | "uint64" | "uintptr";
type SignedKind = "int" | "int8" | "int16" | "int32" | "int64";

/** A Go type, as far as templates can tell types apart. */
export interface Type {
  readonly name: string;
  readonly kind: Kind;
  /** Of slices and maps. */
  readonly elem?: Type;
}

/** An integer type; `text` is its String method. */
export interface IntType extends Type {
  readonly kind: IntKind;
  readonly bits: number;
  readonly signed: boolean;
  readonly text?: (value: bigint) => string;
}

/** A value as Go's reflection sees it: `undefined` is no value at all, `null` a nil interface. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | string
  | Int
  | Complex
  | List
  | Bytes
  | Dict
  | Time
  | Struct
  | NilPointer;

const basic = (name: string, kind: Kind): Type => ({ name, kind });
const integer = (name: IntKind, bits: number): IntType => ({
  name,
  kind: name,
  bits,
  signed: name.startsWith("i"),
});

/** The types that templates meet. */
export const types = {
  any: basic("interface {}", "interface"),
  bool: basic("bool", "bool"),
  string: basic("string", "string"),
  float64: basic("float64", "float64"),
  complex128: basic("complex128", "complex128"),
  int: integer("int", 64),
  int8: integer("int8", 8),
  int16: integer("int16", 16),
  int32: integer("int32", 32),
  int64: integer("int64", 64),
  uint: integer("uint", 64),
  uint8: integer("uint8", 8),
  uint16: integer("uint16", 16),
  uint32: integer("uint32", 32),
  uint64: integer("uint64", 64),
  uintptr: integer("uintptr", 64),
  time: basic("time.Time", "struct"),
} as const;

/** The slice type of an element type. */
function sliceOf(elem: Type): Type {
  return { name: `[]${elem.name}`, kind: "slice", elem };
}

/** The map type with string keys of an element type. */
export function mapOf(elem: Type): Type {
  return { name: `map[string]${elem.name}`, kind: "map", elem };
}

const sliceTypes = {
  any: sliceOf(types.any),
  string: sliceOf(types.string),
  int: sliceOf(types.int),
  bytes: sliceOf(types.uint8),
};
const mapTypes = { any: mapOf(types.any), string: mapOf(types.string) };

/** An integer of any width and sign. */
export class Int {
  readonly type: IntType;
  readonly value: bigint;
  constructor(type: IntType, value: bigint) {
    this.type = type;
    this.value = value;
  }
}

/** A complex128. */
export class Complex {
  readonly re: number;
  readonly im: number;
  constructor(re: number, im: number) {
    this.re = re;
    this.im = im;
  }
}

/** A slice. Items given as plain data are wrapped when they are read. */
export class List {
  readonly type: Type;
  readonly isNil: boolean;
  readonly #items: unknown[];
  /** How far a slice of it may reach. */
  readonly capacity: number;
  constructor(type: Type, items: unknown[], isNil = false, capacity = items.length) {
    this.type = type;
    this.#items = items;
    this.isNil = isNil;
    this.capacity = capacity;
  }
  get length(): number {
    return this.#items.length;
  }
  at(index: number): Value {
    const item = this.#items[index];
    if (typeof item !== "object" || item === null) return wrapScalar(item);
    const value = wrap(item);
    if (value !== item) this.#items[index] = value;
    return value;
  }
  items(): Value[] {
    return Array.from({ length: this.#items.length }, (_, i) => this.at(i));
  }
  /** A part of it; beyond the length there are nils up to the capacity, as in Go. */
  slice(from: number, to: number): List {
    const items = Array.from({ length: to - from }, (_, i) => this.#items[from + i] ?? null);
    return new List(this.type, items, false, this.capacity - from);
  }
}

/** A []byte. */
export class Bytes {
  readonly data: Uint8Array;
  constructor(data: Uint8Array) {
    this.data = data;
  }
}

/** A map with string keys. Entries given as plain data are wrapped when they are read. */
export class Dict {
  readonly type: Type;
  readonly isNil: boolean;
  readonly #entries: Map<string, unknown>;
  constructor(type: Type, entries: Map<string, unknown>, isNil = false) {
    this.type = type;
    this.#entries = entries;
    this.isNil = isNil;
  }
  get size(): number {
    return this.#entries.size;
  }
  has(key: string): boolean {
    return this.#entries.has(key);
  }
  /** The entry, or undefined when there is none. */
  get(key: string): Value {
    const entry = this.#entries.get(key);
    if (typeof entry !== "object")
      return entry === undefined && !this.#entries.has(key) ? undefined : wrapScalar(entry);
    if (entry === null) return null;
    const value = wrap(entry);
    if (value !== entry) this.#entries.set(key, value);
    return value;
  }
  set(key: string, value: Value): void {
    this.#entries.set(key, value);
  }
  delete(key: string): void {
    this.#entries.delete(key);
  }
  keys(): string[] {
    return [...this.#entries.keys()];
  }
}

/** A place's name and its offsets from UTC. */
export interface Zone {
  readonly name: string;
  /** The offset in seconds and the abbreviation in force at a moment. */
  at(unixSeconds: number): { readonly offset: number; readonly abbreviation: string };
}

/** A time.Time: seconds and nanoseconds since 1970, and the zone it is shown in. */
export class Time {
  readonly seconds: number;
  readonly nanos: number;
  readonly zone: Zone;
  constructor(seconds: number, nanos: number, zone: Zone) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.zone = zone;
  }
}

/** One field of a struct. */
export interface Field {
  readonly name: string;
  readonly value: unknown;
  /** The name in JSON; absent means the field's own name, "-" means left out. */
  readonly json?: string;
  readonly omitEmpty?: boolean;
  /** Lower case in Go: printed, but not reachable. */
  readonly hidden?: boolean;
}

/** What a template may call on a value. */
export interface Method {
  readonly params: readonly Type[];
  readonly call: (args: readonly Value[]) => Value;
}

/** A struct or, with `pointer`, a pointer to one. */
export class Struct {
  readonly type: Type;
  readonly pointer: boolean;
  readonly fields: readonly Field[];
  readonly methods: Readonly<Record<string, Method>>;
  /** Its String method. */
  readonly text: (() => string) | undefined;
  constructor(
    name: string,
    fields: readonly Field[],
    about: { pointer?: boolean; methods?: Readonly<Record<string, Method>>; text?: () => string } = {},
  ) {
    this.type = { name, kind: "struct" };
    this.pointer = about.pointer ?? false;
    this.fields = fields;
    this.methods = about.methods ?? {};
    this.text = about.text;
  }
  field(name: string): Field | undefined {
    return this.fields.find((field) => field.name === name);
  }
}

/** A pointer that points nowhere; the names are the fields of what it would point at. */
export class NilPointer {
  readonly name: string;
  readonly fields: readonly string[];
  constructor(name: string, fields: readonly string[]) {
    this.name = name;
    this.fields = fields;
  }
}

/** Plain data as Go values, one level at a time. */
export function wrap(raw: unknown): Value {
  if (typeof raw !== "object" || raw === null) return wrapScalar(raw);
  if (isWrapped(raw)) return raw;
  // Go's JSON decoder grows its slices by doubling, and a slice can reach what is left over.
  if (Array.isArray(raw)) return new List(sliceTypes.any, raw.slice(), false, doubled(raw.length));
  if (raw instanceof Uint8Array) return new Bytes(raw);
  if (raw instanceof Map) return new Dict(mapTypes.any, new Map(raw));
  const proto: unknown = Object.getPrototypeOf(raw);
  if (proto !== null && proto !== Object.prototype)
    throw new TypeError("template data must be plain data or a typed value");
  return new Dict(
    mapTypes.any,
    new Map(Object.entries(raw).map(([key, value]) => [key.toWellFormed(), value])),
  );
}

function doubled(length: number): number {
  return length === 0 || length > 512 ? length : 2 ** Math.ceil(Math.log2(length));
}

function isWrapped(raw: object): raw is Exclude<Value, undefined | null | boolean | number | string> {
  return (
    raw instanceof Int ||
    raw instanceof Dict ||
    raw instanceof List ||
    raw instanceof Time ||
    raw instanceof Struct ||
    raw instanceof Bytes ||
    raw instanceof Complex ||
    raw instanceof NilPointer
  );
}

function wrapScalar(raw: unknown): Value {
  switch (typeof raw) {
    case "string":
    case "number":
    case "boolean":
      return raw;
    case "bigint":
      return new Int(types.int64, BigInt.asIntN(64, raw));
    case "undefined":
      return null;
    case "object":
      return null;
    default:
      throw new TypeError(`template data must not hold a ${typeof raw}`);
  }
}

/** A Go int. */
export function int(value: number | bigint): Int {
  return new Int(types.int, BigInt.asIntN(64, BigInt(value)));
}

/** A Go int64. */
export function int64(value: number | bigint): Int {
  return new Int(types.int64, BigInt.asIntN(64, BigInt(value)));
}

/** An integer of a type, wrapped to its width. */
export function sized(type: IntType, value: bigint): Int {
  return new Int(type, type.signed ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value));
}

/** A []interface{}. */
export function list(items: readonly Value[]): List {
  return new List(sliceTypes.any, [...items]);
}

/** A nil []interface{}. */
export function nilList(): List {
  return new List(sliceTypes.any, [], true);
}

/** A []string. */
export function stringList(items: readonly string[]): List {
  return new List(sliceTypes.string, [...items]);
}

/** A []int. */
export function intList(items: readonly number[]): List {
  return new List(sliceTypes.int, items.map(int));
}

/** A map[string]interface{}. */
export function dict(entries: Iterable<readonly [string, unknown]>): Dict {
  return new Dict(mapTypes.any, new Map(entries));
}

/** A map[string]string. */
export function stringDict(entries: Iterable<readonly [string, string]>): Dict {
  return new Dict(mapTypes.string, new Map(entries));
}

/** The dynamic type of a value; of a nil interface it is interface {}. */
export function typeOf(value: Value): Type {
  if (value === null || value === undefined) return types.any;
  if (typeof value === "string") return types.string;
  if (typeof value === "number") return types.float64;
  if (typeof value === "boolean") return types.bool;
  if (value instanceof Int || value instanceof List || value instanceof Dict) return value.type;
  if (value instanceof Bytes) return sliceTypes.bytes;
  if (value instanceof Complex) return types.complex128;
  if (value instanceof Time) return types.time;
  if (value instanceof NilPointer) return { name: value.name, kind: "ptr" };
  return value.pointer ? { name: `*${value.type.name}`, kind: "ptr" } : value.type;
}

/** The kind of a value; no value is invalid, a nil interface an interface. */
export function kindOf(value: Value): Kind {
  return value === undefined ? "invalid" : typeOf(value).kind;
}

/** Go's truth: not the zero of its type, structs always true. */
export function isTrue(value: Value): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "object") return truthOfObject(value);
  // NaN is not zero.
  return typeof value === "number" ? value !== 0 : typeof value === "string" ? value !== "" : value;
}

function truthOfObject(value: Exclude<Value, undefined | null | boolean | number | string>): boolean {
  if (value instanceof Int) return value.value !== 0n;
  if (value instanceof List) return value.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Bytes) return value.data.length > 0;
  if (value instanceof Complex) return value.re !== 0 || value.im !== 0;
  return !(value instanceof NilPointer);
}
