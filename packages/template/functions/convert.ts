import type { Budget } from "../budget.ts";
import { CallError } from "../error.ts";
import { ownText, show } from "../fmt/print.ts";
import { parseFloat64, parseInt64 } from "../number.ts";
import { fromBytes } from "../text.ts";
import {
  Bytes,
  Complex,
  Dict,
  Int,
  int64,
  isTrue,
  kindOf,
  List,
  NilPointer,
  sized,
  stringList,
  types,
  type Value,
} from "../value.ts";

const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** sprig's strval: text of anything. */
export function textOf(value: Value, budget: Budget): string {
  if (typeof value === "string") return value;
  if (value instanceof Bytes) return fromBytes(value.data);
  return ownText(value) ?? show(value ?? null, budget);
}

/** sprig's toInt64: what is no number is 0. */
export function toInt64(value: Value): bigint {
  if (typeof value === "string") {
    const parsed = parseInt64(value, 10);
    return typeof parsed === "bigint" ? parsed : 0n;
  }
  if (typeof value === "number") return floatToInt(value);
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (!(value instanceof Int)) return 0n;
  return value.value > maxInt64 ? maxInt64 : value.value;
}

/** A float cut to an int64; out of range it is the smallest, as on amd64. */
function floatToInt(value: number): bigint {
  if (!Number.isFinite(value)) return minInt64;
  const whole = BigInt(Math.trunc(value));
  return whole > maxInt64 || whole < minInt64 ? minInt64 : whole;
}

/** sprig's toFloat64. */
export function toFloat64(value: Value): number {
  if (typeof value === "string") {
    const parsed = parseFloat64(value);
    return typeof parsed === "number" ? parsed : 0;
  }
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return value instanceof Int ? Number(value.value) : 0;
}

/** int64 arithmetic wraps around. */
export function wrapped(value: bigint): Int {
  return int64(BigInt.asIntN(64, value));
}

/** sprig's empty; unlike truth it also looks at pointers. */
export function isEmpty(value: Value): boolean {
  return !isTrue(value);
}

/** The items of any slice, or undefined when it is none. */
export function itemsOf(value: Value): Value[] | undefined {
  if (value instanceof List) return value.items();
  if (value instanceof Bytes) return Array.from(value.data, (byte) => sized(types.uint8, BigInt(byte)));
  return undefined;
}

/** The items, or the panic of a function that wants a list. */
export function listItems(value: Value, what: string): Value[] {
  if (value === null || value === undefined) {
    throw new CallError("runtime error: invalid memory address or nil pointer dereference");
  }
  const items = itemsOf(value);
  if (items === undefined) throw new CallError(`${what} ${kindOf(value)}`);
  return items;
}

/** sprig's strslice: nils are dropped, everything else is text. */
export function textList(value: Value, budget: Budget): string[] {
  if (value === null || value === undefined) return [];
  const items = itemsOf(value);
  if (items === undefined) return [textOf(value, budget)];
  return items.filter((item) => item !== null).map((item) => textOf(item, budget));
}

/** The same as a []string. */
export function asStringList(value: Value, budget: Budget): List {
  return value instanceof List && value.type.elem === types.string
    ? value
    : stringList(textList(value, budget));
}

/** Go's reflect.DeepEqual: types count. */
export function deepEqual(a: Value, b: Value, depth = 0): boolean {
  if (depth > 200) throw new CallError("values nest too deep to be compared");
  if (a === null || a === undefined || b === null || b === undefined) return (a ?? null) === (b ?? null);
  if (a instanceof Int && b instanceof Int) return a.type.name === b.type.name && a.value === b.value;
  if (a instanceof List && b instanceof List) {
    if (a.type.name !== b.type.name || a.isNil !== b.isNil || a.length !== b.length) return false;
    return a.items().every((item, i) => deepEqual(item, b.at(i), depth + 1));
  }
  if (a instanceof Dict && b instanceof Dict) {
    if (a.type.name !== b.type.name || a.isNil !== b.isNil || a.size !== b.size) return false;
    return a.keys().every((key) => b.has(key) && deepEqual(a.get(key), b.get(key), depth + 1));
  }
  if (a instanceof Bytes && b instanceof Bytes) return fromBytes(a.data) === fromBytes(b.data);
  if (a instanceof Complex && b instanceof Complex) return a.re === b.re && a.im === b.im;
  if (a instanceof NilPointer && b instanceof NilPointer) return a.name === b.name;
  return sameObject(a, b);
}

function sameObject(a: Value, b: Value): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if ("nanos" in a && "nanos" in b) {
    return a.seconds === b.seconds && a.nanos === b.nanos && a.zone.name === b.zone.name;
  }
  if ("fields" in a && "fields" in b && "pointer" in a && "pointer" in b) {
    const bs = b;
    return (
      a.type.name === b.type.name &&
      a.pointer === b.pointer &&
      a.fields.every((field, i) => field.value === bs.fields[i]?.value)
    );
  }
  return a === b;
}
