import { runes, runeText } from "../text.ts";
import { isNumber, isUpper, toLower, toUpper } from "../unicode.ts";

/** snakecase and kebabcase as xstrings 1.2.0 has them, with its habit of doubling a last letter. */
export function separated(text: string, connector: "_" | "-"): string {
  return new Separator(text, connector.charCodeAt(0)).run();
}

const isGap = (code: number) => code === 0x5f || code === 0x20 || code === 0x2d;

class Separator {
  readonly #codes: readonly number[];
  readonly #connector: number;
  #at = 0;
  #out = "";

  constructor(text: string, connector: number) {
    this.#codes = runes(text);
    this.#connector = connector;
  }

  run(): string {
    let current = this.#connector;
    while (this.#left()) {
      const previous = current;
      current = this.#take();
      if (current === 0xfffd) this.#write(current);
      else if (isUpper(current)) current = this.#upper(current, previous);
      else if (isNumber(current)) {
        this.#connect(previous);
        this.#write(current);
      } else {
        if (isGap(current)) current = this.#connector;
        this.#write(current);
      }
    }
    return this.#out;
  }

  /** A run of capitals: an abbreviation and perhaps the first letter of a word. */
  #upper(first: number, previous: number): number {
    this.#connect(previous);
    this.#write(toLower(first));
    if (!this.#left()) return first;
    let current = this.#take();
    if (!isUpper(current)) {
      this.#write(current);
      return current;
    }
    while (this.#left()) {
      const before = current;
      current = this.#take();
      if (current === 0xfffd) {
        this.#write(toLower(before));
        this.#write(current);
        break;
      }
      if (!isUpper(current)) {
        current = this.#afterCapitals(before, current);
        break;
      }
      this.#write(toLower(before));
    }
    if (!this.#left() || current === this.#connector) this.#write(toLower(current));
    return current;
  }

  #afterCapitals(before: number, current: number): number {
    if (isGap(current)) {
      this.#write(toLower(before));
      return this.#connector;
    }
    if (isNumber(current)) {
      this.#write(toLower(before));
      this.#write(this.#connector);
    } else {
      this.#write(this.#connector);
      this.#write(toLower(before));
    }
    this.#write(current);
    return current;
  }

  #connect(previous: number): void {
    if (previous !== this.#connector && !isNumber(previous)) this.#write(this.#connector);
  }

  #left(): boolean {
    return this.#at < this.#codes.length;
  }

  #take(): number {
    const code = this.#codes[this.#at] ?? 0;
    this.#at += 1;
    return code;
  }

  #write(code: number): void {
    this.#out += runeText(code);
  }
}

/** camelcase as xstrings 1.2.0 has it: only underscores separate, the first letter is a capital. */
export function camelCase(text: string): string {
  const codes = runes(text);
  const underscore = 0x5f;
  let at = 0;
  let out = "";
  let current = 0;
  while (at < codes.length) {
    current = codes[at] ?? 0;
    at += 1;
    if (current !== underscore) break;
    out += "_";
  }
  if (at >= codes.length) return out;
  current = toUpper(current);
  for (; at < codes.length; at += 1) {
    const before = current;
    current = codes[at] ?? 0;
    if (before === underscore && current === underscore) {
      out += "_";
      continue;
    }
    current = before === underscore ? toUpper(current) : toLower(current);
    if (before !== underscore) out += runeText(before);
  }
  return out + runeText(current);
}
