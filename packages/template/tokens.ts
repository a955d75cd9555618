import { isKeyword, type Lexer, type Token } from "./lex.ts";
import { quote } from "./quote.ts";
import { chars } from "./text.ts";

const none: Token = { type: "eof", pos: 0, text: "EOF", line: 0 };

/** Three tokens of look-ahead, as Go's parser holds them: errors take their line from the newest one read. */
export class Tokens {
  readonly #lexer: Lexer;
  readonly #held: Token[] = [];
  #peeked = 0;

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  /** The line that an error names. */
  get line(): number {
    return this.#held[0]?.line ?? 0;
  }

  next(): Token {
    if (this.#peeked > 0) this.#peeked -= 1;
    else this.#held[0] = this.#lexer.next();
    return this.#held[this.#peeked] ?? none;
  }

  peek(): Token {
    if (this.#peeked === 0) {
      this.#peeked = 1;
      this.#held[0] = this.#lexer.next();
    }
    return this.#held[this.#peeked - 1] ?? none;
  }

  nextNonSpace(): Token {
    for (;;) {
      const token = this.next();
      if (token.type !== "space") return token;
    }
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.backup();
    return token;
  }

  backup(): void {
    this.#peeked += 1;
  }

  backup2(first: Token): void {
    this.#held[1] = first;
    this.#peeked = 2;
  }

  backup3(first: Token, second: Token): void {
    this.#held[1] = second;
    this.#held[2] = first;
    this.#peeked = 3;
  }
}

/** A token as errors quote it. */
export function showToken(token: Token): string {
  if (token.type === "eof") return "EOF";
  if (isKeyword(token.text) || token.type === "dot") return `<${token.text}>`;
  const all = chars(token.text);
  return all.length > 10 ? `${quote(all.slice(0, 10).join(""))}...` : quote(token.text);
}
