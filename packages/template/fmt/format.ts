import type { Budget } from "../budget.ts";
import { joined } from "../text.ts";
import { Int, typeOf, type Value } from "../value.ts";
import { noFlags } from "./pad.ts";
import { Printer } from "./print.ts";

/** Widths and precisions beyond this are refused, as in Go. */
const tooLarge = 1_000_000;

/** Go's fmt.Sprintf. */
export function sprintf(format: string, args: readonly Value[], budget: Budget): string {
  return new Formatter(format, args, budget).run();
}

class Formatter {
  readonly #format: string;
  readonly #args: readonly Value[];
  readonly #printer: Printer;
  #at = 0;
  #next = 0;
  #reordered = false;
  #goodIndex = true;
  #afterIndex = false;

  constructor(format: string, args: readonly Value[], budget: Budget) {
    this.#format = format;
    this.#args = args;
    this.#printer = new Printer(budget);
  }

  run(): string {
    const printer = this.#printer;
    while (this.#at < this.#format.length) {
      const percent = this.#format.indexOf("%", this.#at);
      const end = percent < 0 ? this.#format.length : percent;
      if (end > this.#at) printer.write(this.#format.slice(this.#at, end));
      if (percent < 0) break;
      this.#at = percent + 1;
      this.#goodIndex = true;
      this.#afterIndex = false;
      printer.setFlags(noFlags());
      this.#flags();
      this.#index();
      this.#width();
      this.#precision();
      if (!this.#afterIndex) this.#index();
      if (this.#at >= this.#format.length) {
        printer.write("%!(NOVERB)");
        break;
      }
      this.#verb();
    }
    this.#extra();
    return joined(printer.out);
  }

  #flags(): void {
    const { flags } = this.#printer;
    for (; this.#at < this.#format.length; this.#at += 1) {
      const char = this.#format[this.#at];
      if (char === "#") flags.sharp = true;
      else if (char === "0") flags.zero = true;
      else if (char === "+") flags.plus = true;
      else if (char === "-") flags.minus = true;
      else if (char === " ") flags.space = true;
      else break;
    }
  }

  /** An explicit argument index, [n]. */
  #index(): void {
    this.#afterIndex = false;
    if (this.#format[this.#at] !== "[") return;
    this.#reordered = true;
    const close = this.#format.indexOf("]", this.#at + 1);
    if (close < 0 || this.#format.length - this.#at < 3) {
      this.#goodIndex = false;
      this.#at += 1;
      return;
    }
    const text = this.#format.slice(this.#at + 1, close);
    const number = /^\d+$/.test(text) && Number(text) <= tooLarge ? Number(text) : undefined;
    this.#at = close + 1;
    this.#afterIndex = number !== undefined;
    if (number !== undefined && number >= 1 && number <= this.#args.length) this.#next = number - 1;
    else this.#goodIndex = false;
  }

  #width(): void {
    const { flags } = this.#printer;
    if (this.#format[this.#at] !== "*") {
      flags.width = this.#number();
      if (this.#afterIndex && flags.width !== undefined) this.#goodIndex = false;
      return;
    }
    this.#at += 1;
    const width = this.#fromArgument();
    if (width === undefined) this.#printer.write("%!(BADWIDTH)");
    flags.width = width;
    if (width !== undefined && width < 0) {
      flags.width = -width;
      flags.minus = true;
      flags.zero = false;
    }
    this.#afterIndex = false;
  }

  #precision(): void {
    const { flags } = this.#printer;
    if (this.#at + 1 >= this.#format.length || this.#format[this.#at] !== ".") return;
    this.#at += 1;
    if (this.#afterIndex) this.#goodIndex = false;
    this.#index();
    if (this.#format[this.#at] !== "*") {
      flags.precision = this.#number() ?? 0;
      return;
    }
    this.#at += 1;
    const precision = this.#fromArgument();
    flags.precision = precision !== undefined && precision < 0 ? undefined : precision;
    if (flags.precision === undefined) this.#printer.write("%!(BADPREC)");
    this.#afterIndex = false;
  }

  #verb(): void {
    const code = this.#format.codePointAt(this.#at) ?? 0;
    const verb = String.fromCodePoint(code);
    const { flags } = this.#printer;
    this.#at += verb.length;
    if (verb === "%") return this.#printer.write("%");
    if (!this.#goodIndex) return this.#printer.write(`%!${verb}(BADINDEX)`);
    if (this.#next >= this.#args.length) return this.#printer.write(`%!${verb}(MISSING)`);
    if (verb === "v" || verb === "w") {
      flags.sharpV = flags.sharp;
      flags.sharp = false;
      flags.plusV = flags.plus;
      flags.plus = false;
    }
    this.#printer.arg(this.#args[this.#next], verb);
    this.#next += 1;
  }

  #extra(): void {
    if (this.#reordered || this.#next >= this.#args.length) return;
    const printer = this.#printer;
    printer.setFlags(noFlags());
    printer.write("%!(EXTRA ");
    for (const [i, arg] of this.#args.slice(this.#next).entries()) {
      if (i > 0) printer.write(", ");
      if (arg === null || arg === undefined) printer.write("<nil>");
      else {
        printer.write(`${typeOf(arg).name}=`);
        printer.arg(arg, "v");
      }
    }
    printer.write(")");
  }

  /** Digits of the format; a crazy number ends the format, as in Go. */
  #number(): number | undefined {
    const start = this.#at;
    while (/[0-9]/.test(this.#format[this.#at] ?? "")) this.#at += 1;
    if (this.#at === start) return undefined;
    const number = Number(this.#format.slice(start, this.#at));
    if (number <= tooLarge) return number;
    this.#at = this.#format.length;
    return undefined;
  }

  /** The number that a * takes from the arguments. */
  #fromArgument(): number | undefined {
    if (this.#next >= this.#args.length) return undefined;
    const arg = this.#args[this.#next];
    this.#next += 1;
    if (!(arg instanceof Int)) return undefined;
    const number = Number(arg.value);
    return Math.abs(number) > tooLarge ? undefined : number;
  }
}
