import { CallError } from "../error.ts";
import { sprintf } from "../fmt/format.ts";
import { sprint, sprintln } from "../fmt/print.ts";
import { byteLength, byteSlice, toBytes } from "../text.ts";
import {
  Bytes,
  Dict,
  Int,
  int,
  List,
  NilPointer,
  Struct,
  sized,
  typeOf,
  types,
  type Value,
} from "../value.ts";
import { eq, inner, le, length, lt, pointeeName, truth } from "./compare.ts";
import { type Context, define, type Func } from "./define.ts";
import { htmlEscape, jsEscape, queryEscape } from "./escape.ts";

/** The functions that text/template itself has. `and`, `or` and `call` are the executor's. */
export const builtins: Readonly<Record<string, Func>> = {
  and: define("value value...", unreachable),
  or: define("value value...", unreachable),
  call: define("value value...", unreachable),
  html: define("any...", (args, context) => htmlEscape(joinedText(args.rest(0), context))),
  js: define("any...", (args, context) => jsEscape(joinedText(args.rest(0), context))),
  urlquery: define("any...", (args, context) => queryEscape(joinedText(args.rest(0), context))),
  index: define("value value...", (args) => index(args.any(0), args.rest(1))),
  slice: define("value value...", (args) => slice(args.any(0), args.rest(1))),
  len: define("value", (args) => int(length(args.any(0), byteLength))),
  not: define("value", (args) => !truth(args.any(0))),
  print: define("any...", (args, { budget }) => sprint(args.rest(0), budget)),
  printf: define("string any...", (args, { budget }) => sprintf(args.text(0), args.rest(1), budget)),
  println: define("any...", (args, { budget }) => sprintln(args.rest(0), budget)),
  eq: define("value value...", (args, { budget }) => eq(args.any(0), args.rest(1), budget)),
  ne: define("value value", (args, { budget }) => !eq(args.any(0), args.rest(1), budget)),
  lt: define("value value", (args) => lt(args.any(0), args.any(1))),
  le: define("value value", (args, { budget }) => le(args.any(0), args.any(1), budget)),
  gt: define("value value", (args, { budget }) => !le(args.any(0), args.any(1), budget)),
  ge: define("value value", (args) => !lt(args.any(0), args.any(1))),
};

function unreachable(): never {
  throw new Error("evaluated by the executor");
}

/** What the escapers escape: the arguments, printed. */
function joinedText(args: readonly Value[], { budget }: Context): string {
  const [only] = args;
  if (args.length === 1 && typeof only === "string") return only;
  return sprint(
    args.map((arg) => (arg === null || arg === undefined ? "<no value>" : arg)),
    budget,
  );
}

function index(start: Value, keys: readonly Value[]): Value {
  let item = inner(start);
  if (item === undefined) throw new CallError("index of untyped nil");
  for (const key of keys) {
    if (item === null || item instanceof NilPointer) throw new CallError("index of nil pointer");
    item = item instanceof Dict ? entry(item, inner(key)) : element(item, inner(key));
  }
  return item;
}

function entry(dict: Dict, key: Value): Value {
  if (key === undefined) throw new CallError("value is nil; should be of type string");
  if (typeof key !== "string") throw new CallError(`value has type ${typeOf(key).name}; should be string`);
  return dict.has(key) ? dict.get(key) : zeroOf(dict);
}

/** What a map holds where it holds nothing. */
export function zeroOf(dict: Dict): Value {
  return dict.type.elem?.kind === "string" ? "" : zeroElement(dict);
}

function zeroElement(dict: Dict): Value {
  const elem = dict.type.elem;
  if (elem?.kind === "map") return new Dict(elem, new Map(), true);
  if (elem?.kind === "slice")
    return elem.elem?.kind === "uint8" ? new Bytes(new Uint8Array()) : new List(elem, [], true);
  if (elem?.kind === "bool") return false;
  return null;
}

function element(item: Value, key: Value): Value {
  if (item instanceof List) return item.at(position(key, item.length));
  if (item instanceof Bytes) return byteAt(item.data, position(key, item.data.length));
  if (typeof item === "string") {
    const bytes = toBytes(item);
    return byteAt(bytes, position(key, bytes.length, "string"));
  }
  throw new CallError(`can't index item of type ${pointeeName(item)}`);
}

function byteAt(bytes: Uint8Array, at: number): Int {
  return sized(types.uint8, BigInt(bytes[at] ?? 0));
}

function position(key: Value, length: number, what: "slice" | "string" | "bound" = "slice"): number {
  if (key === undefined) throw new CallError("cannot index slice/array with nil");
  if (!(key instanceof Int)) throw new CallError(`cannot index slice/array with type ${typeOf(key).name}`);
  const { value } = key;
  if (value < 0n || value > BigInt(length)) throw new CallError(`index out of range: ${value}`);
  if (what !== "bound" && value === BigInt(length))
    throw new CallError(`reflect: ${what} index out of range`);
  return Number(value);
}

function slice(value: Value, bounds: readonly Value[]): Value {
  const item = inner(value);
  if (item === undefined) throw new CallError("slice of untyped nil");
  if (item instanceof NilPointer) throw new CallError("slice of nil pointer");
  if (bounds.length > 3) throw new CallError(`too many slice indexes: ${bounds.length}`);
  const size = typeof item === "string" ? byteLength(item) : item instanceof List ? item.length : undefined;
  if (size === undefined || item instanceof Struct)
    throw new CallError(`can't slice item of type ${pointeeName(item)}`);
  if (typeof item === "string" && bounds.length === 3) throw new CallError("cannot 3-index slice a string");
  const capacity = item instanceof List ? item.capacity : size;
  const [from = 0, to = size, max = capacity] = bounds.map((bound) =>
    position(inner(bound), capacity, "bound"),
  );
  if (from > to) throw new CallError(`invalid slice index: ${from} > ${to}`);
  if (to > max) throw new CallError(`invalid slice index: ${to} > ${max}`);
  return typeof item === "string" ? byteSlice(item, from, to) : (item as List).slice(from, to);
}
