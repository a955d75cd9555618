import type { Budget } from "../budget.ts";
import { CallError } from "../error.ts";
import { sprintf } from "../fmt/format.ts";
import { compareText } from "../text.ts";
import {
  Bytes,
  Complex,
  Dict,
  Int,
  isTrue,
  kindOf,
  List,
  NilPointer,
  Time,
  typeOf,
  type Value,
} from "../value.ts";

type Basic = "invalid" | "bool" | "complex" | "int" | "uint" | "float" | "string";

function basicKind(value: Value): Basic {
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "float";
  if (typeof value === "boolean") return "bool";
  if (value instanceof Int) return value.type.signed ? "int" : "uint";
  return value instanceof Complex ? "complex" : "invalid";
}

/** An interface's content; a nil interface is no value. */
export function inner(value: Value): Value {
  return value === null ? undefined : value;
}

/** The builtin eq: equal to any of the others. */
export function eq(first: Value, others: readonly Value[], budget: Budget): boolean {
  if (others.length === 0) throw new CallError("missing argument for comparison");
  return others.some((other) => equal(inner(first), inner(other), budget));
}

function equal(a: Value, b: Value, budget: Budget): boolean {
  const left = basicKind(a);
  const right = basicKind(b);
  if (left !== right) {
    // Integers compare by value whatever their signs are.
    if (a instanceof Int && b instanceof Int) return a.value === b.value;
    if (a !== undefined && b !== undefined) throw incompatible(a, b);
    return false;
  }
  if (left !== "invalid") return sameBasic(a, b);
  return equalOthers(a, b, budget);
}

function sameBasic(a: Value, b: Value): boolean {
  if (a instanceof Int && b instanceof Int) return a.value === b.value;
  if (a instanceof Complex && b instanceof Complex) return a.re === b.re && a.im === b.im;
  return a === b;
}

function equalOthers(a: Value, b: Value, budget: Budget): boolean {
  const left = kindOf(a);
  const right = kindOf(b);
  if (left !== right && left !== "invalid" && right !== "invalid") {
    throw new CallError(
      sprintf("non-comparable types %s: %s, %s: %v", [a, typeOf(a).name, typeOf(b).name, b], budget),
    );
  }
  if (isNil(a) || isNil(b)) return isNil(a) === isNil(b);
  if (right === "slice" || right === "map")
    throw new CallError(sprintf("non-comparable type %s: %s", [b, typeOf(b).name], budget));
  if (a instanceof Time && b instanceof Time) {
    return a.seconds === b.seconds && a.nanos === b.nanos && a.zone.name === b.zone.name;
  }
  return a === b;
}

function isNil(value: Value): boolean {
  if (value === undefined || value === null || value instanceof NilPointer) return true;
  return (value instanceof List || value instanceof Dict) && value.isNil;
}

/** The builtin lt. */
export function lt(first: Value, second: Value): boolean {
  const a = inner(first);
  const b = inner(second);
  const left = basicKind(a);
  const right = basicKind(b);
  if (left === "invalid" || right === "invalid") throw new CallError("invalid type for comparison");
  if (a instanceof Int && b instanceof Int) return a.value < b.value;
  if (left !== right) throw incompatible(a, b);
  if (typeof a === "string" && typeof b === "string") return compareText(a, b) < 0;
  if (typeof a === "number" && typeof b === "number") return a < b;
  throw new CallError("invalid type for comparison");
}

function incompatible(a: Value, b: Value): CallError {
  return new CallError(`incompatible types for comparison: ${typeOf(a).name} and ${typeOf(b).name}`);
}

/** The builtin le. */
export function le(a: Value, b: Value, budget: Budget): boolean {
  return lt(a, b) || eq(a, [b], budget);
}

/** The builtin len. */
export function length(value: Value, byteLength: (text: string) => number): number {
  if (value === null || value instanceof NilPointer) throw new CallError("len of nil pointer");
  if (value === undefined) throw new CallError("reflect: call of reflect.Value.Type on zero Value");
  if (typeof value === "string") return byteLength(value);
  if (value instanceof List) return value.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Bytes) return value.data.length;
  throw new CallError(`len of type ${pointeeName(value)}`);
}

/** Whether a value counts as true. */
export function truth(value: Value): boolean {
  return isTrue(value);
}

/** The type's name of a value, or of what it points at. */
export function pointeeName(value: Value): string {
  return typeOf(value).name.replace(/^\*/, "");
}
