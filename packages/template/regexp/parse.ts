import { chars } from "../text.ts";
import { complement, perl, posix, property } from "./classes.ts";
import { type CharClass, classOf, type Regex, SyntaxFault } from "./syntax.ts";

interface Flags {
  foldCase: boolean;
  multiLine: boolean;
  dotAll: boolean;
  lazy: boolean;
}

/** A parsed pattern: names[i] is the name of group i, empty when it has none. */
export interface Parsed {
  readonly regex: Regex;
  readonly names: readonly string[];
}

const maxRepeat = 1000;
const maxNesting = 500;
/** Instructions that a pattern may become; Go's own bound is about as high. */
const maxSize = 100_000;

/** Parses a pattern in RE2's syntax. Throws SyntaxFault. */
export function parseRegex(pattern: string): Parsed {
  const parser = new RegexParser(pattern);
  return { regex: parser.parse(), names: parser.names };
}

class RegexParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { foldCase: false, multiLine: false, dotAll: false, lazy: false };
  readonly names = [""];

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Regex {
    if (!this.#text.isWellFormed()) throw new SyntaxFault("invalid UTF-8", this.#text.toWellFormed());
    const regex = this.#alternate();
    if (this.#at < this.#text.length) throw new SyntaxFault("unexpected )", this.#text);
    if (sizeOf(regex) > maxSize) throw new SyntaxFault("expression too large", this.#text);
    return regex;
  }

  #alternate(): Regex {
    this.#depth += 1;
    if (this.#depth > maxNesting) throw new SyntaxFault("expression nests too deeply", this.#text);
    const parts = [this.#concat()];
    while (this.#text[this.#at] === "|") {
      this.#at += 1;
      parts.push(this.#concat());
    }
    this.#depth -= 1;
    return parts.length === 1 ? (parts[0] as Regex) : { type: "alternate", parts };
  }

  #concat(): Regex {
    const parts: Regex[] = [];
    while (this.#at < this.#text.length && this.#text[this.#at] !== "|" && this.#text[this.#at] !== ")") {
      const atom = this.#atom();
      if (Array.isArray(atom)) parts.push(...atom);
      else if (atom !== undefined) parts.push(atom);
      // After a change of flags an operator still means what stood before it.
      if (parts.length > 0) this.#repetitions(parts);
    }
    return parts.length === 0
      ? { type: "empty" }
      : parts.length === 1
        ? (parts[0] as Regex)
        : { type: "concat", parts };
  }

  /** Repetition operators after the last part; two in a row are refused. */
  #repetitions(parts: Regex[]): void {
    let before = -1;
    for (;;) {
      const from = this.#at;
      const bounds = this.#bounds();
      if (bounds === undefined) return;
      const lazy = this.#text[this.#at] === "?";
      if (lazy) this.#at += 1;
      if (before >= 0) {
        throw new SyntaxFault("invalid nested repetition operator", this.#text.slice(before, this.#at));
      }
      before = from;
      const body = parts.pop() ?? { type: "empty" };
      const { min, max } = bounds;
      const regex: Regex = { type: "repeat", body, min, max, lazy: lazy !== this.#flags.lazy };
      if (bounds.counted && repeatSize(regex) > maxRepeat) {
        throw new SyntaxFault("invalid repeat count", this.#text.slice(from, this.#at));
      }
      parts.push(regex);
    }
  }

  #bounds(): { min: number; max: number; counted: boolean } | undefined {
    const char = this.#text[this.#at];
    const simple = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] }[char ?? ""];
    if (simple !== undefined) {
      this.#at += 1;
      return { min: simple[0] ?? 0, max: simple[1] ?? 0, counted: false };
    }
    const found = /^\{(\d+)(,(\d*))?\}/.exec(this.#text.slice(this.#at, this.#at + 40));
    if (found === null || /^0\d/.test(found[1] ?? "") || /^0\d/.test(found[3] ?? "")) return undefined;
    this.#at += found[0].length;
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === "" ? Infinity : Number(found[3]);
    if (min > maxRepeat || (max !== Infinity && max > maxRepeat) || min > max) {
      throw new SyntaxFault("invalid repeat count", found[0]);
    }
    return { min, max, counted: true };
  }

  /** One atom; nothing for a change of flags; several for \Q…\E. */
  #atom(): Regex | Regex[] | undefined {
    const code = this.#text.codePointAt(this.#at) ?? 0;
    const char = String.fromCodePoint(code);
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return { type: "class", class: this.#class() };
      case ".":
        this.#at += 1;
        return { type: "class", class: classOf(this.#flags.dotAll ? [] : [[10, 10]], true) };
      case "^":
        this.#at += 1;
        return { type: "assert", kind: this.#flags.multiLine ? "beginLine" : "beginText" };
      case "$":
        this.#at += 1;
        return { type: "assert", kind: this.#flags.multiLine ? "endLine" : "endText" };
      case "*":
      case "+":
      case "?":
        return this.#nothingToRepeat();
      case "{":
        if (/^\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}/.test(this.#text.slice(this.#at)))
          return this.#nothingToRepeat();
        this.#at += 1;
        return this.#literal(code);
      case "\\":
        return this.#escape();
      default:
        this.#at += char.length;
        return this.#literal(code);
    }
  }

  #nothingToRepeat(): never {
    const operator = /^([*+?]|\{[\d,]*\})\??/.exec(this.#text.slice(this.#at))?.[0] ?? "";
    throw new SyntaxFault("missing argument to repetition operator", operator);
  }

  #literal(code: number): Regex {
    return { type: "class", class: classOf([[code, code]], false, this.#flags.foldCase) };
  }

  #group(): Regex | undefined {
    const outer = { ...this.#flags };
    if (this.#text.startsWith("(?", this.#at)) {
      const named = /^\(\?P?<([^>]*)>/.exec(this.#text.slice(this.#at));
      if (named === null) return this.#flagGroup(outer);
      return this.#capture(named[0], named[1] ?? "", outer);
    }
    return this.#capture("(", "", outer);
  }

  #capture(opening: string, name: string, outer: Flags): Regex {
    if (opening !== "(" && !/^\w+$/.test(name)) throw new SyntaxFault("invalid named capture", opening);
    const index = this.names.push(name) - 1;
    this.#at += opening.length;
    const body = this.#alternate();
    this.#close();
    this.#flags = outer;
    return { type: "group", index, body };
  }

  #close(): void {
    if (this.#text[this.#at] !== ")") throw new SyntaxFault("missing closing )", this.#text);
    this.#at += 1;
  }

  /** (?flags) and (?flags:…) */
  #flagGroup(outer: Flags): Regex | undefined {
    const found = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.#text.slice(this.#at));
    if (found === null) {
      const rest = this.#text.slice(this.#at);
      if (/^\(\?P?</.test(rest)) throw new SyntaxFault("invalid named capture", rest);
      throw new SyntaxFault(
        "invalid or unsupported Perl syntax",
        /^\(\?[imsU-]*.?/su.exec(rest)?.[0] ?? rest,
      );
    }
    const flags = { ...outer };
    for (const [letters, on] of [
      [found[1] ?? "", true],
      [found[2] ?? "", false],
    ] as const) {
      if (letters.includes("i")) flags.foldCase = on;
      if (letters.includes("m")) flags.multiLine = on;
      if (letters.includes("s")) flags.dotAll = on;
      if (letters.includes("U")) flags.lazy = on;
    }
    this.#at += found[0].length;
    this.#flags = flags;
    if (found[3] === ")") return undefined;
    const body = this.#alternate();
    this.#close();
    this.#flags = outer;
    return body;
  }

  #escape(): Regex | Regex[] {
    const letter = this.#text[this.#at + 1];
    if (letter === undefined) throw new SyntaxFault("trailing backslash at end of expression", "");
    const assertion = { A: "beginText", z: "endText", b: "word", B: "notWord" }[letter] as "word" | undefined;
    if (assertion !== undefined) {
      this.#at += 2;
      return { type: "assert", kind: assertion };
    }
    if (letter === "Q") return this.#quoted();
    const set = this.#classEscape();
    if (set !== undefined) return { type: "class", class: { ...set, foldCase: this.#flags.foldCase } };
    return this.#literal(this.#character());
  }

  #quoted(): Regex[] {
    const end = this.#text.indexOf("\\E", this.#at + 2);
    const body = this.#text.slice(this.#at + 2, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 2;
    return chars(body).map((char) => this.#literal(char.codePointAt(0) ?? 0));
  }

  /** \d, \pL and their kin, or undefined. */
  #classEscape(): CharClass | undefined {
    const letter = this.#text[this.#at + 1] ?? "";
    const known = perl[letter];
    if (known !== undefined) {
      this.#at += 2;
      return classOf(known.ranges, known.negated);
    }
    if (letter !== "p" && letter !== "P") return undefined;
    const found = /^\\[pP](?:\{([^}]*)\}|([^{]))/su.exec(this.#text.slice(this.#at));
    if (found === null) throw new SyntaxFault("invalid character class range", this.#text.slice(this.#at));
    this.#at += found[0].length;
    const part = property(found[1] ?? found[2] ?? "", letter === "P", found[0]);
    return { ranges: [], properties: [part], negated: false, foldCase: false };
  }

  /** A backslash and what follows, as one code point. */
  #character(): number {
    const rest = this.#text.slice(this.#at);
    const hex = /^\\x(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(rest);
    if (hex !== null) {
      const code = Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
      if (code <= 0x10ffff) return this.#took(hex[0], code);
      throw new SyntaxFault("invalid escape sequence", hex[0]);
    }
    const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
    if (octal !== null) return this.#took(octal[0], Number.parseInt(octal[1] ?? "", 8));
    const letter = chars(rest)[1] ?? "";
    const control = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 }[letter];
    if (control !== undefined) return this.#took(`\\${letter}`, control);
    if (/[0-9A-Za-z]/.test(letter) || letter.charCodeAt(0) >= 0x80) {
      throw new SyntaxFault("invalid escape sequence", `\\${/^\\x\{?/.exec(rest)?.[0].slice(1) ?? letter}`);
    }
    return this.#took(`\\${letter}`, letter.codePointAt(0) ?? 0);
  }

  #took(text: string, code: number): number {
    this.#at += text.length;
    return code;
  }

  #class(): CharClass {
    const start = this.#at;
    this.#at += 1;
    const negated = this.#text[this.#at] === "^";
    if (negated) this.#at += 1;
    const ranges: (readonly [number, number])[] = [];
    const properties: { pattern: RegExp; negated: boolean }[] = [];
    for (let first = true; first || this.#text[this.#at] !== "]"; first = false) {
      if (this.#at >= this.#text.length) throw new SyntaxFault("missing closing ]", this.#text.slice(start));
      const set = this.#classItem();
      if (set === undefined) ranges.push(this.#range(start));
      else {
        ranges.push(...(set.negated ? complement(set.ranges) : set.ranges));
        properties.push(...set.properties);
      }
    }
    this.#at += 1;
    return { ranges, properties, negated, foldCase: this.#flags.foldCase };
  }

  /** [:alpha:] or \d within a class, or undefined. */
  #classItem(): CharClass | undefined {
    const rest = this.#text.slice(this.#at);
    const named = /^\[:(\^?)([^:\]]*):\]/.exec(rest);
    if (named !== null) {
      const ranges = posix[named[2] ?? ""];
      if (ranges === undefined) throw new SyntaxFault("invalid character class range", named[0]);
      this.#at += named[0].length;
      return classOf(ranges, named[1] === "^");
    }
    return rest.startsWith("\\") ? this.#classEscape() : undefined;
  }

  #range(start: number): readonly [number, number] {
    const from = this.#at;
    const low = this.#classChar(start);
    if (this.#text[this.#at] !== "-" || this.#text[this.#at + 1] === "]" || this.#at + 1 >= this.#text.length)
      return [low, low];
    this.#at += 1;
    const high = this.#classChar(start);
    if (high < low) throw new SyntaxFault("invalid character class range", this.#text.slice(from, this.#at));
    return [low, high];
  }

  #classChar(start: number): number {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) throw new SyntaxFault("missing closing ]", this.#text.slice(start));
    if (code === 0x5c && this.#at + 1 >= this.#text.length)
      throw new SyntaxFault("trailing backslash at end of expression", "");
    if (code === 0x5c) return this.#character();
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }
}

/** How often the innermost body of nested counts is written out. */
function repeatSize(regex: Regex): number {
  if (regex.type === "repeat") {
    const times = regex.max === Infinity ? regex.min : regex.max;
    return Math.max(times, 1) * repeatSize(regex.body);
  }
  if (regex.type === "group") return repeatSize(regex.body);
  return "parts" in regex ? Math.max(1, ...regex.parts.map(repeatSize)) : 1;
}

/** About how many instructions a pattern becomes. */
function sizeOf(regex: Regex): number {
  if (regex.type === "repeat") {
    return sizeOf(regex.body) * Math.max(1, regex.max === Infinity ? regex.min : regex.max) + 1;
  }
  if (regex.type === "group") return sizeOf(regex.body) + 2;
  return "parts" in regex ? regex.parts.reduce((sum, part) => sum + sizeOf(part) + 1, 0) : 1;
}
