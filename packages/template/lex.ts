import {
  hasLeftTrim,
  hasRightTrim,
  isAlphaNumeric,
  isBlank,
  newlines,
  trimRight,
  unicodeName,
} from "./marks.ts";
import { isPrint } from "./unicode.ts";

/** The kinds of token. */
export type TokenType =
  | "error"
  | "bool"
  | "char"
  | "charConstant"
  | "complex"
  | "assign"
  | "declare"
  | "eof"
  | "field"
  | "identifier"
  | "leftDelim"
  | "leftParen"
  | "number"
  | "pipe"
  | "rawString"
  | "rightDelim"
  | "rightParen"
  | "space"
  | "string"
  | "text"
  | "variable"
  | "dot"
  | Keyword;

type Keyword =
  | "block"
  | "break"
  | "continue"
  | "define"
  | "else"
  | "end"
  | "if"
  | "nil"
  | "range"
  | "template"
  | "with";

/** One token: where it starts, what it says, on which line. */
export interface Token {
  readonly type: TokenType;
  readonly pos: number;
  readonly text: string;
  readonly line: number;
}

const keywords = new Set<string>([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
]);
const eof = -1;

/** Whether a word has a meaning of its own. */
export function isKeyword(word: string): word is Keyword {
  return keywords.has(word);
}

const decimal = "0123456789_";
const hexadecimal = "0123456789abcdefABCDEF_";

/** Cuts a template into tokens, one at a time, as Go's lexer does. */
export class Lexer {
  #input: string;
  #pos = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  #atEof = false;
  #parens = 0;
  #insideAction = false;

  constructor(input: string) {
    this.#input = input;
  }

  /** The next token; after the end, "eof" for ever. */
  next(): Token {
    return this.#insideAction ? this.#action() : this.#text();
  }

  #text(): Token {
    for (;;) {
      const found = this.#input.indexOf("{{", this.#pos);
      if (found < 0) return this.#rest();
      if (found > this.#pos) {
        this.#pos = found;
        const kept = hasLeftTrim(this.#input, found + 2) ? trimRight(this.#input, this.#start, found) : found;
        this.#pos = kept;
        this.#line += newlines(this.#input, this.#start, kept);
        const token = this.#take("text");
        this.#pos = found;
        this.#ignore();
        if (token.text !== "") return token;
      }
      const token = this.#leftDelim();
      if (token !== undefined) return token;
    }
  }

  #rest(): Token {
    this.#pos = this.#input.length;
    if (this.#pos === this.#start) return this.#take("eof", "EOF");
    this.#line += newlines(this.#input, this.#start, this.#pos);
    return this.#take("text");
  }

  /** The opening of an action, or nothing after a comment. */
  #leftDelim(): Token | undefined {
    this.#pos += 2;
    const marker = hasLeftTrim(this.#input, this.#pos) ? 2 : 0;
    if (this.#input.startsWith("/*", this.#pos + marker)) {
      this.#pos += marker;
      this.#ignore();
      return this.#comment();
    }
    const token = this.#take("leftDelim");
    this.#insideAction = true;
    this.#pos += marker;
    this.#ignore();
    this.#parens = 0;
    return token;
  }

  #comment(): Token | undefined {
    const close = this.#input.indexOf("*/", this.#pos + 2);
    if (close < 0) return this.#error("unclosed comment");
    this.#pos = close + 2;
    const { delim, trim } = this.#atRightDelim();
    if (!delim) return this.#error("comment ends before closing delimiter");
    this.#line += newlines(this.#input, this.#start, this.#pos);
    this.#take("text");
    this.#pos += trim ? 4 : 2;
    if (trim) this.#skipSpace();
    this.#ignore();
    return undefined;
  }

  #rightDelim(): Token {
    const { trim } = this.#atRightDelim();
    if (trim) {
      this.#pos += 2;
      this.#ignore();
    }
    this.#pos += 2;
    const token = this.#take("rightDelim");
    if (trim) {
      this.#skipSpace();
      this.#ignore();
    }
    this.#insideAction = false;
    return token;
  }

  #action(): Token {
    if (this.#atRightDelim().delim) {
      return this.#parens === 0 ? this.#rightDelim() : this.#error("unclosed left paren");
    }
    const code = this.#next();
    if (code === eof) return this.#error("unclosed action");
    if (isBlank(code)) {
      this.#backup();
      return this.#space();
    }
    const char = String.fromCodePoint(code);
    switch (char) {
      case "=":
        return this.#take("assign");
      case ":":
        return this.#next() === 0x3d ? this.#take("declare") : this.#error("expected :=");
      case "|":
        return this.#take("pipe");
      case '"':
        return this.#quoted('"', "string", "quoted string");
      case "'":
        return this.#quoted("'", "charConstant", "character constant");
      case "`":
        return this.#rawQuoted();
      case "$":
        return this.#name("variable");
      case "(":
        this.#parens += 1;
        return this.#take("leftParen");
      case ")":
        this.#parens -= 1;
        return this.#parens < 0 ? this.#error("unexpected right paren") : this.#take("rightParen");
      default:
        return this.#other(code, char);
    }
  }

  #other(code: number, char: string): Token {
    const after = this.#input.charCodeAt(this.#pos);
    if (char === "." && this.#pos < this.#input.length && !(after >= 48 && after <= 57))
      return this.#name("field");
    if (char === "." || char === "+" || char === "-" || (code >= 48 && code <= 57)) {
      this.#backup();
      return this.#number();
    }
    if (isAlphaNumeric(code)) {
      this.#backup();
      return this.#identifier();
    }
    if (code < 0x80 && isPrint(code)) return this.#take("char");
    return this.#error(`unrecognized character in action: ${unicodeName(code)}`);
  }

  #space(): Token {
    let count = 0;
    while (isBlank(this.#peek())) {
      this.#next();
      count += 1;
    }
    if (hasRightTrim(this.#input, this.#pos - 1) && this.#input.startsWith("}}", this.#pos + 1)) {
      this.#backup();
      if (count === 1) return this.#rightDelim();
    }
    return this.#take("space");
  }

  #identifier(): Token {
    const code = this.#word();
    if (!this.#atTerminator()) return this.#error(`bad character ${unicodeName(code)}`);
    const word = this.#input.slice(this.#start, this.#pos);
    if (isKeyword(word)) return this.#take(word);
    return this.#take(word === "true" || word === "false" ? "bool" : "identifier");
  }

  #name(type: "field" | "variable"): Token {
    if (this.#atTerminator()) return this.#take(type === "variable" ? type : "dot");
    const code = this.#word();
    return this.#atTerminator() ? this.#take(type) : this.#error(`bad character ${unicodeName(code)}`);
  }

  /** Skips letters and digits; the code point that ended the word. */
  #word(): number {
    for (;;) {
      const code = this.#next();
      if (isAlphaNumeric(code)) continue;
      this.#backup();
      return code;
    }
  }

  #quoted(quote: string, type: "string" | "charConstant", what: string): Token {
    for (;;) {
      let code = this.#next();
      if (code === 0x5c) {
        code = this.#next();
        if (code !== eof && code !== 10) continue;
      }
      if (code === eof || code === 10) return this.#error(`unterminated ${what}`);
      if (code === quote.charCodeAt(0)) return this.#take(type);
    }
  }

  #rawQuoted(): Token {
    for (;;) {
      const code = this.#next();
      if (code === eof) return this.#error("unterminated raw quoted string");
      if (code === 0x60) return this.#take("rawString");
    }
  }

  #number(): Token {
    const bad = () =>
      this.#error(`bad number syntax: ${JSON.stringify(this.#input.slice(this.#start, this.#pos))}`);
    if (!this.#scanNumber()) return bad();
    const sign = this.#peek();
    if (sign !== 0x2b && sign !== 0x2d) return this.#take("number");
    if (!this.#scanNumber() || this.#input[this.#pos - 1] !== "i") return bad();
    return this.#take("complex");
  }

  #scanNumber(): boolean {
    this.#accept("+-");
    let digits = decimal;
    if (this.#accept("0")) {
      if (this.#accept("xX")) digits = hexadecimal;
      else if (this.#accept("oO")) digits = "01234567_";
      else if (this.#accept("bB")) digits = "01_";
    }
    this.#acceptRun(digits);
    if (this.#accept(".")) this.#acceptRun(digits);
    if ((digits === decimal && this.#accept("eE")) || (digits === hexadecimal && this.#accept("pP"))) {
      this.#accept("+-");
      this.#acceptRun(decimal);
    }
    this.#accept("i");
    if (!isAlphaNumeric(this.#peek())) return true;
    this.#next();
    return false;
  }

  #accept(valid: string): boolean {
    const code = this.#next();
    if (code !== eof && valid.includes(String.fromCodePoint(code))) return true;
    this.#backup();
    return false;
  }

  #acceptRun(valid: string): void {
    while (this.#accept(valid));
  }

  #atTerminator(): boolean {
    const code = this.#peek();
    if (code === eof || isBlank(code) || ".,|:)(".includes(String.fromCodePoint(code))) return true;
    return this.#input.startsWith("}}", this.#pos);
  }

  #atRightDelim(): { delim: boolean; trim: boolean } {
    if (hasRightTrim(this.#input, this.#pos) && this.#input.startsWith("}}", this.#pos + 2))
      return { delim: true, trim: true };
    return { delim: this.#input.startsWith("}}", this.#pos), trim: false };
  }

  #skipSpace(): void {
    while (isBlank(this.#input.charCodeAt(this.#pos))) this.#pos += 1;
  }

  #next(): number {
    const code = this.#input.codePointAt(this.#pos);
    if (code === undefined) {
      this.#atEof = true;
      return eof;
    }
    this.#pos += code > 0xffff ? 2 : 1;
    if (code === 10) this.#line += 1;
    return code;
  }

  #peek(): number {
    const code = this.#next();
    this.#backup();
    return code;
  }

  #backup(): void {
    if (this.#atEof || this.#pos === 0) return;
    const last = this.#input.charCodeAt(this.#pos - 1);
    this.#pos -= last >= 0xdc00 && last <= 0xdfff ? 2 : 1;
    if (last === 10) this.#line -= 1;
  }

  #take(type: TokenType, text = this.#input.slice(this.#start, this.#pos)): Token {
    const token = { type, pos: this.#start, text, line: this.#startLine };
    this.#start = this.#pos;
    this.#startLine = this.#line;
    return token;
  }

  #ignore(): void {
    this.#line += newlines(this.#input, this.#start, this.#pos);
    this.#start = this.#pos;
    this.#startLine = this.#line;
  }

  /** Ends the scan: nothing is read after an error. */
  #error(message: string): Token {
    const token: Token = { type: "error", pos: this.#start, text: message, line: this.#startLine };
    this.#input = "";
    this.#pos = 0;
    this.#start = 0;
    this.#insideAction = false;
    return token;
  }
}
