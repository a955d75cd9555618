import { TemplateError } from "./error.ts";
import { Lexer, type Token, type TokenType } from "./lex.ts";
import {
  type Branch,
  type Command,
  type ListNode,
  type Node,
  type Operand,
  type Pipe,
  show,
} from "./node.ts";
import { parseNumeral } from "./number.ts";
import { quote, unquote } from "./quote.ts";
import { showToken, Tokens } from "./tokens.ts";

/** A parsed text: its own body and what it defines. */
export interface Template {
  readonly name: string;
  readonly text: string;
  /** Bodies by name, the text's own among them; a name that was only whitespace may be replaced. */
  readonly trees: ReadonlyMap<string, ListNode>;
}

/** What the parser must know of its environment. */
export interface ParseOptions {
  readonly name: string;
  readonly hasFunction: (name: string) => boolean;
  /** How deep parentheses and blocks may nest. */
  readonly maxDepth: number;
}

type End = { readonly type: "end" | "else"; readonly pos: number };

/** Parses a template as Go does. Throws TemplateError. */
export function parse(text: string, options: ParseOptions): Template {
  const trees = new Map<string, ListNode>();
  const shared: Shared = { lexer: new Lexer(text), trees, options, depth: 0 };
  const tree = new Tree(options.name, shared);
  tree.parseAll();
  return { name: options.name, text, trees };
}

interface Shared {
  readonly lexer: Lexer;
  readonly trees: Map<string, ListNode>;
  readonly options: ParseOptions;
  depth: number;
}

const operandTypes = new Set<TokenType>([
  "bool",
  "charConstant",
  "complex",
  "dot",
  "field",
  "identifier",
  "number",
  "nil",
  "rawString",
  "string",
  "variable",
  "leftParen",
]);

class Tree {
  #name: string;
  readonly #shared: Shared;
  readonly #tokens: Tokens;
  #vars = ["$"];
  #actionLine = 0;
  #rangeDepth = 0;

  constructor(name: string, shared: Shared) {
    this.#name = name;
    this.#shared = shared;
    this.#tokens = new Tokens(shared.lexer);
  }

  parseAll(): void {
    const nodes: Node[] = [];
    const pos = this.#tokens.peek().pos;
    while (this.#tokens.peek().type !== "eof") {
      if (this.#tokens.peek().type === "leftDelim") {
        const delim = this.#tokens.next();
        if (this.#tokens.nextNonSpace().type === "define") {
          new Tree("definition", this.#shared).#definition();
          continue;
        }
        this.#tokens.backup2(delim);
      }
      const node = this.#textOrAction();
      if (isEnd(node)) this.#fail(`unexpected {{${node.type}}}`);
      else nodes.push(node);
    }
    this.#add({ type: "list", pos, nodes });
  }

  #definition(): void {
    const token = this.#tokens.nextNonSpace();
    if (token.type !== "string" && token.type !== "rawString") this.#unexpected(token, "define clause");
    this.#name = this.#unquoted(token.text);
    this.#expect("rightDelim", "define clause");
    const { list, end } = this.#itemList();
    if (end.type !== "end") this.#fail("unexpected {{else}} in define clause");
    this.#add(list);
  }

  #add(list: ListNode): void {
    const known = this.#shared.trees.get(this.#name);
    if (known === undefined || isEmpty(known)) this.#shared.trees.set(this.#name, list);
    else if (!isEmpty(list)) this.#fail(`template: multiple definition of template ${quote(this.#name)}`);
  }

  #itemList(): { list: ListNode; end: End } {
    this.#deeper();
    const nodes: Node[] = [];
    const pos = this.#tokens.peekNonSpace().pos;
    while (this.#tokens.peekNonSpace().type !== "eof") {
      const node = this.#textOrAction();
      if (isEnd(node)) {
        this.#shared.depth -= 1;
        return { list: { type: "list", pos, nodes }, end: node };
      }
      nodes.push(node);
    }
    return this.#fail("unexpected EOF");
  }

  #textOrAction(): Node | End {
    const token = this.#tokens.nextNonSpace();
    if (token.type === "text") return { type: "text", pos: token.pos, text: token.text };
    if (token.type !== "leftDelim") return this.#unexpected(token, "input");
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): Node | End {
    const token = this.#tokens.nextNonSpace();
    switch (token.type) {
      case "block":
        return this.#block();
      case "break":
      case "continue":
        return this.#jump(token.type, token.pos);
      case "else":
        return this.#else();
      case "end":
        return { type: "end", pos: this.#expect("rightDelim", "end").pos };
      case "if":
      case "range":
      case "with":
        return this.#branch(token.type);
      case "template":
        return this.#template();
      default: {
        this.#tokens.backup();
        const { pos } = this.#tokens.peek();
        return { type: "action", pos, pipe: this.#pipeline("command", "rightDelim") };
      }
    }
  }

  #jump(type: "break" | "continue", pos: number): Node {
    const token = this.#tokens.nextNonSpace();
    if (token.type !== "rightDelim") this.#unexpected(token, `{{${type}}}`);
    if (this.#rangeDepth === 0) this.#fail(`{{${type}}} outside {{range}}`);
    return { type, pos };
  }

  #else(): End {
    const ahead = this.#tokens.peekNonSpace();
    if (ahead.type === "if" || ahead.type === "with") return { type: "else", pos: ahead.pos };
    return { type: "else", pos: this.#expect("rightDelim", "else").pos };
  }

  #branch(type: Branch["type"]): Branch {
    const known = this.#vars.length;
    const pipe = this.#pipeline(type, "rightDelim");
    if (type === "range") this.#rangeDepth += 1;
    const { list: body, end } = this.#itemList();
    if (type === "range") this.#rangeDepth -= 1;
    const otherwise = end.type === "else" ? this.#otherwise(type, end.pos) : undefined;
    this.#vars.length = known;
    return { type, pos: pipe.pos, pipe, body, otherwise };
  }

  #otherwise(type: Branch["type"], pos: number): ListNode {
    // "else if" leaves its "if" pending: the chain shares one end.
    if (type !== "range" && this.#tokens.peek().type === type) {
      this.#tokens.next();
      this.#deeper();
      const node = this.#branch(type);
      this.#shared.depth -= 1;
      return { type: "list", pos, nodes: [node] };
    }
    const { list, end } = this.#itemList();
    if (end.type !== "end") this.#fail("expected end; found {{else}}");
    return list;
  }

  #block(): Node {
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, "block clause");
    const pipe = this.#pipeline("block clause", "rightDelim");
    const block = new Tree(name, this.#shared);
    const { list, end } = block.#itemList();
    if (end.type !== "end") this.#fail("unexpected {{else}} in block clause");
    block.#add(list);
    return { type: "template", pos: token.pos, name, pipe };
  }

  #template(): Node {
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, "template clause");
    if (this.#tokens.nextNonSpace().type === "rightDelim")
      return { type: "template", pos: token.pos, name, pipe: undefined };
    this.#tokens.backup();
    return { type: "template", pos: token.pos, name, pipe: this.#pipeline("template clause", "rightDelim") };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== "string" && token.type !== "rawString") return this.#unexpected(token, context);
    return this.#unquoted(token.text);
  }

  #pipeline(context: string, end: TokenType): Pipe {
    const { pos, line } = this.#tokens.peekNonSpace();
    const { variables, assign } = this.#declarations(context);
    const commands: Command[] = [];
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.type === end) {
        this.#checkPipeline(commands, context);
        return { type: "pipe", pos, line, assign, variables, commands };
      }
      if (!operandTypes.has(token.type)) this.#unexpected(token, context);
      this.#tokens.backup();
      commands.push(this.#command());
    }
  }

  #declarations(context: string): { variables: string[]; assign: boolean } {
    const variables: string[] = [];
    for (;;) {
      const variable = this.#tokens.peekNonSpace();
      if (variable.type !== "variable") return { variables, assign: false };
      this.#tokens.next();
      const after = this.#tokens.peek();
      const next = this.#tokens.peekNonSpace();
      const comma = next.type === "char" && next.text === ",";
      if (next.type === "assign" || next.type === "declare" || comma) {
        this.#tokens.nextNonSpace();
        variables.push(variable.text);
        this.#vars.push(variable.text);
      } else if (after.type === "space") this.#tokens.backup3(variable, after);
      else this.#tokens.backup2(variable);
      if (!comma) return { variables, assign: next.type === "assign" };
      if (context !== "range" || variables.length >= 2) this.#fail(`too many declarations in ${context}`);
      const ahead = this.#tokens.peekNonSpace().type;
      if (ahead !== "variable" && ahead !== "rightDelim" && ahead !== "rightParen") {
        this.#fail("range can only initialize variables");
      }
    }
  }

  #checkPipeline(commands: readonly Command[], context: string): void {
    if (commands.length === 0) this.#fail(`missing value for ${context}`);
    for (const [i, command] of commands.entries()) {
      const first = command.args[0]?.type;
      const constant =
        first === "bool" || first === "dot" || first === "nil" || first === "number" || first === "string";
      if (i > 0 && constant) this.#fail(`non executable command in pipeline stage ${i + 1}`);
    }
  }

  #command(): Command {
    const { pos } = this.#tokens.peekNonSpace();
    const args: Operand[] = [];
    for (;;) {
      this.#tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) args.push(operand);
      const token = this.#tokens.next();
      if (token.type === "space") continue;
      if (token.type === "rightDelim" || token.type === "rightParen") this.#tokens.backup();
      else if (token.type !== "pipe") this.#unexpected(token, "operand");
      break;
    }
    if (args.length === 0) this.#fail("empty command");
    return { type: "command", pos, args };
  }

  #operand(): Operand | undefined {
    const node = this.#term();
    if (node === undefined || this.#tokens.peek().type !== "field") return node;
    const { pos } = this.#tokens.peek();
    const names: string[] = [];
    while (this.#tokens.peek().type === "field") names.push(this.#tokens.next().text.slice(1));
    switch (node.type) {
      case "field":
      case "variable":
        return { type: node.type, pos, names: [...node.names, ...names] };
      case "bool":
      case "string":
      case "number":
      case "nil":
      case "dot":
        return this.#fail(`unexpected . after term ${quote(show(node))}`);
      default:
        return { type: "chain", pos, node, names };
    }
  }

  #term(): Operand | undefined {
    const token = this.#tokens.nextNonSpace();
    const { pos, text } = token;
    switch (token.type) {
      case "identifier":
        if (!this.#shared.options.hasFunction(text)) this.#fail(`function ${quote(text)} not defined`);
        return { type: "identifier", pos, name: text };
      case "dot":
      case "nil":
        return { type: token.type, pos };
      case "variable":
        if (!this.#vars.includes(text)) this.#fail(`undefined variable ${quote(text)}`);
        return { type: "variable", pos, names: [text] };
      case "field":
        return { type: "field", pos, names: [text.slice(1)] };
      case "bool":
        return { type: "bool", pos, value: text === "true" };
      case "charConstant":
      case "complex":
      case "number": {
        const numeral = parseNumeral(text, token.type);
        return typeof numeral === "string" ? this.#fail(numeral) : { type: "number", pos, numeral };
      }
      case "leftParen":
        return this.#parenthesized();
      case "string":
      case "rawString":
        return { type: "string", pos, quoted: text, value: this.#unquoted(text) };
      default:
        this.#tokens.backup();
        return undefined;
    }
  }

  #parenthesized(): Pipe {
    this.#deeper("max expression depth exceeded");
    const pipe = this.#pipeline("parenthesized pipeline", "rightParen");
    this.#shared.depth -= 1;
    return pipe;
  }

  #deeper(message = "blocks nest too deep"): void {
    this.#shared.depth += 1;
    if (this.#shared.depth > this.#shared.options.maxDepth) this.#fail(message);
  }

  #unquoted(literal: string): string {
    return unquote(literal) ?? this.#fail("invalid syntax");
  }

  #expect(type: TokenType, context: string): Token {
    const token = this.#tokens.nextNonSpace();
    return token.type === type ? token : this.#unexpected(token, context);
  }

  #unexpected(token: Token, context: string): never {
    if (token.type !== "error") return this.#fail(`unexpected ${showToken(token)} in ${context}`);
    const elsewhere = this.#actionLine !== 0 && this.#actionLine !== token.line;
    const started = ` started at ${this.#shared.options.name}:${this.#actionLine}`;
    const extra = !elsewhere ? "" : token.text.endsWith(" action") ? started : ` in action${started}`;
    return this.#fail(token.text + extra);
  }

  #fail(message: string): never {
    const { name } = this.#shared.options;
    const { line } = this.#tokens;
    throw new TemplateError(`template: ${name}:${line}: ${message}`, {
      stage: "parse",
      template: name,
      line,
    });
  }
}

function isEnd(node: Node | End): node is End {
  return node.type === "end" || node.type === "else";
}

function isEmpty(node: Node): boolean {
  if (node.type === "list") return node.nodes.every(isEmpty);
  return node.type === "text" && /^[\s\u0085]*$/.test(node.text);
}
