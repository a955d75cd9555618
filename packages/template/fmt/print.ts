import type { Budget } from "../budget.ts";
import { CallError } from "../error.ts";
import { compareText, fromBytes, joined } from "../text.ts";
import { goTime, timeText } from "../time/show.ts";
import {
  Bytes,
  Complex,
  Dict,
  Int,
  List,
  NilPointer,
  Struct,
  sized,
  Time,
  type Type,
  typeOf,
  types,
  type Value,
  wrap,
} from "../value.ts";
import { type Flags, noFlags, Padder } from "./pad.ts";

/** How deep a value may nest; deeper is a cycle, which would end Go itself. */
const maxNesting = 200;

/** Go's fmt for one call. */
export class Printer extends Padder {
  #erroring = false;

  setFlags(flags: Flags): void {
    this.flags = flags;
  }

  /** One argument with one verb. */
  arg(value: Value, verb: string): void {
    if (value === null || value === undefined) {
      if (verb === "T" || verb === "v") this.pad("<nil>");
      else this.#bad(verb, value);
      return;
    }
    if (verb === "T") return this.text(typeOf(value).name);
    if (verb === "p") return this.#pointer(value, verb);
    if (value instanceof Bytes) return this.#bytes(value, verb, "[]byte", 0);
    if (this.#method(value, verb)) return;
    this.#value(value, verb, 0);
  }

  /** String methods: what values say of themselves. */
  #method(value: Value, verb: string): boolean {
    if (this.#erroring) return false;
    if (verb === "w") {
      this.#bad(verb, value);
      return true;
    }
    if (this.flags.sharpV) {
      if (!(value instanceof Time)) return false;
      this.text(goTime(value));
      return true;
    }
    if (!"vsxXq".includes(verb)) return false;
    const text = ownText(value);
    if (text === undefined) return false;
    this.#string(text, verb);
    return true;
  }

  #value(value: Value, verb: string, depth: number, declared?: Type): void {
    if (depth > maxNesting) throw new CallError("value nests too deep to be printed");
    if (value === undefined || value === null) {
      return this.write(this.flags.sharpV ? `${declared?.name ?? "interface {}"}(nil)` : "<nil>");
    }
    if (depth > 0 && this.#method(value, verb)) return;
    if (typeof value === "string") return this.#string(value, verb);
    if (typeof value === "number") return this.#float(value, verb, value);
    if (typeof value === "boolean") return this.#bool(value, verb);
    if (value instanceof Int) return this.#integer(value, verb);
    if (value instanceof Complex) return this.#complex(value, verb);
    if (value instanceof Bytes) return this.#bytes(value, verb, "[]uint8", depth);
    if (value instanceof List) return this.#list(value, verb, depth);
    if (value instanceof Dict) return this.#dict(value, verb, depth);
    if (value instanceof NilPointer) return this.#pointer(value, verb);
    if (value instanceof Time) return this.#struct(timeStruct(value), verb, depth);
    if (!value.pointer) return this.#struct(value, verb, depth);
    if (depth > 0) return this.write("0xc000000000");
    this.write("&");
    this.#struct(value, verb, depth + 1);
  }

  #bool(value: boolean, verb: string): void {
    if (verb === "t" || verb === "v") this.pad(String(value));
    else this.#bad(verb, value);
  }

  #string(value: string, verb: string): void {
    if (verb === "v") return this.flags.sharpV ? this.quoted(value) : this.text(value);
    if (verb === "s") return this.text(value);
    if (verb === "x" || verb === "X") return this.hexText(value, verb === "X");
    if (verb === "q") return this.quoted(value);
    this.#bad(verb, value);
  }

  #integer(number: Int, verb: string): void {
    const { value } = number;
    switch (verb) {
      case "v":
        return this.flags.sharpV && !number.type.signed
          ? this.#hexByte(value)
          : this.integer(value, 10, verb);
      case "d":
        return this.integer(value, 10, verb);
      case "b":
        return this.integer(value, 2, verb);
      case "o":
      case "O":
        return this.integer(value, 8, verb);
      case "x":
      case "X":
        return this.integer(value, 16, verb);
      case "c":
        return this.character(value);
      case "q":
        return this.quotedCharacter(value);
      case "U":
        return this.unicode(value);
      default:
        return this.#bad(verb, number);
    }
  }

  #hexByte(value: bigint): void {
    const { sharp } = this.flags;
    this.flags.sharp = true;
    this.integer(value, 16, "v");
    this.flags.sharp = sharp;
  }

  /** `whole` is what a wrong verb is blamed on: a complex number's parts are not values of their own. */
  #float(value: number, verb: string, whole: Value): void {
    switch (verb) {
      case "v":
        return this.float(value, "g", -1);
      case "b":
      case "g":
      case "G":
      case "x":
      case "X":
        return this.float(value, verb, -1);
      case "f":
      case "F":
        return this.float(value, "f", 6);
      case "e":
      case "E":
        return this.float(value, verb, 6);
      default:
        return this.#bad(verb, whole);
    }
  }

  #complex(value: Complex, verb: string): void {
    if (!"vbgGxXfFeE".includes(verb)) return this.#bad(verb, value);
    const { plus } = this.flags;
    this.write("(");
    this.#float(value.re, verb, value);
    this.flags.plus = true;
    this.#float(value.im, verb, value);
    this.write("i)");
    this.flags.plus = plus;
  }

  #bytes(value: Bytes, verb: string, name: string, depth: number): void {
    if (verb === "s") return this.text(fromBytes(value.data));
    if (verb === "x" || verb === "X") return this.hex(value.data, verb === "X");
    if (verb === "q") return this.quoted(fromBytes(value.data));
    const sharpV = this.flags.sharpV && (verb === "v" || verb === "d");
    this.write(sharpV ? `${name}{` : "[");
    for (const [i, byte] of value.data.entries()) {
      if (i > 0) this.write(sharpV ? ", " : " ");
      if (sharpV) this.#hexByte(BigInt(byte));
      else this.#value(new Int(byteType, BigInt(byte)), verb, depth + 1);
    }
    this.write(sharpV ? "}" : "]");
  }

  #list(value: List, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    if (sharpV) this.write(value.type.name);
    if (sharpV && value.isNil) return this.write("(nil)");
    this.write(sharpV ? "{" : "[");
    for (let i = 0; i < value.length; i += 1) {
      if (i > 0) this.write(sharpV ? ", " : " ");
      this.#value(value.at(i), verb, depth + 1, value.type.elem);
    }
    this.write(sharpV ? "}" : "]");
  }

  #dict(value: Dict, verb: string, depth: number): void {
    const { sharpV } = this.flags;
    if (sharpV) this.write(value.type.name);
    if (sharpV && value.isNil) return this.write("(nil)");
    this.write(sharpV ? "{" : "map[");
    for (const [i, key] of value.keys().sort(compareText).entries()) {
      if (i > 0) this.write(sharpV ? ", " : " ");
      this.#value(key, verb, depth + 1);
      this.write(":");
      this.#value(value.get(key), verb, depth + 1, value.type.elem);
    }
    this.write(sharpV ? "}" : "]");
  }

  #struct(value: Struct, verb: string, depth: number): void {
    const { sharpV, plusV } = this.flags;
    if (sharpV) this.write(value.type.name);
    this.write("{");
    for (const [i, field] of value.fields.entries()) {
      if (i > 0) this.write(sharpV ? ", " : " ");
      if (sharpV || plusV) this.write(`${field.name}:`);
      this.#value(wrap(field.value), verb, depth + 1);
    }
    this.write("}");
  }

  #pointer(value: Value, verb: string): void {
    if (!(value instanceof NilPointer)) return this.#bad(verb, value);
    if (verb !== "v" && verb !== "p") return this.#bad(verb, value);
    if (this.flags.sharpV) this.write(`(${value.name})(nil)`);
    else if (verb === "p") this.write("0x0");
    else this.pad("<nil>");
  }

  #bad(verb: string, value: Value): void {
    this.#erroring = true;
    if (value === null || value === undefined) this.write(`%!${verb}(<nil>)`);
    else {
      this.write(`%!${verb}(${typeOf(value).name}=`);
      if (value instanceof Bytes) this.#bytes(value, "v", "[]byte", 0);
      else this.#value(value, "v", 0);
      this.write(")");
    }
    this.#erroring = false;
  }
}

const byteType = { name: "uint8", kind: "uint8", bits: 8, signed: false } as const;

/** A value's String method. */
export function ownText(value: Value): string | undefined {
  if (value instanceof Int) return value.type.text?.(value.value);
  if (value instanceof Time) return timeText(value);
  return value instanceof Struct ? value.text?.() : undefined;
}

/** What a wrong verb shows of a time.Time. */
function timeStruct(value: Time): Struct {
  return new Struct("time.Time", [
    { name: "wall", value: sized(types.uint64, BigInt(value.nanos)), hidden: true },
    { name: "ext", value: BigInt(value.seconds) + 62135596800n, hidden: true },
    { name: "loc", value: new NilPointer("*time.Location", []), hidden: true },
  ]);
}

/** Go's fmt.Sprint. */
export function sprint(args: readonly Value[], budget: Budget): string {
  const printer = new Printer(budget);
  let wasText = true;
  for (const arg of args) {
    const isText = typeof arg === "string";
    if (!isText && !wasText) printer.write(" ");
    printer.arg(arg, "v");
    wasText = isText;
  }
  return joined(printer.out);
}

/** Go's fmt.Sprintln. */
export function sprintln(args: readonly Value[], budget: Budget): string {
  const printer = new Printer(budget);
  for (const [i, arg] of args.entries()) {
    if (i > 0) printer.write(" ");
    printer.arg(arg, "v");
  }
  return `${joined(printer.out)}\n`;
}

/** One value as %v prints it. */
export function show(value: Value, budget: Budget): string {
  if (typeof value === "string") return value;
  const printer = new Printer(budget);
  printer.setFlags(noFlags());
  printer.arg(value, "v");
  return printer.out;
}
