import { type Budget, LimitError } from "./budget.ts";
import { CallError, placeOf, TemplateError } from "./error.ts";
import type { Funcs } from "./evaluate.ts";
import { Evaluator } from "./evaluate.ts";
import { show as showValue } from "./fmt/print.ts";
import { type Context } from "./functions/define.ts";
import { type AnyNode, type Branch, type ListNode, type Node, show } from "./node.ts";
import type { Template } from "./parse.ts";
import { compareText, joined } from "./text.ts";
import { Bytes, Dict, Int, int, isTrue, List, Struct, sized, types, type Value } from "./value.ts";

/** What to do with a key that a map does not have. */
export type MissingKey = "default" | "zero" | "error";

/** What running a template needs besides the data. */
export interface Environment {
  readonly functions: Funcs;
  readonly context: Context;
  readonly missingKey: MissingKey;
}

/** How a run of nodes ended. */
type Flow = "on" | "break" | "continue";

/** Renders a parsed template. Throws TemplateError. */
export function execute(template: Template, data: Value, environment: Environment): string {
  const executor = new Executor(template, environment);
  try {
    return executor.run(data);
  } catch (error) {
    throw executor.located(error);
  }
}

class Executor {
  readonly #template: Template;
  readonly #budget: Budget;
  readonly #evaluator: Evaluator;
  /** Pieces of output; joined at the end, bounded by maxOutput. */
  #out = "";
  #depth = 0;
  /** The name of the running template, for errors. */
  #name: string;

  constructor(template: Template, around: Environment) {
    this.#template = template;
    this.#budget = around.context.budget;
    this.#name = template.name;
    this.#evaluator = new Evaluator(around);
  }

  run(data: Value): string {
    const root = this.#template.trees.get(this.#template.name);
    if (root === undefined) throw new Error("a parsed template has a body");
    this.#evaluator.scope.enter(data);
    this.#list(root, data);
    return joined(this.#out);
  }

  #write(text: string): void {
    this.#out += text;
    this.#budget.grow(this.#out.length, text.length);
  }

  #list(list: ListNode, dot: Value): Flow {
    for (const node of list.nodes) {
      const flow = this.#node(node, dot);
      if (flow !== "on") return flow;
    }
    return "on";
  }

  #node(node: Node, dot: Value): Flow {
    this.#evaluator.at(node);
    this.#budget.spend(1);
    switch (node.type) {
      case "text":
        this.#write(node.text);
        return "on";
      case "action": {
        const value = this.#evaluator.pipeline(node.pipe, dot);
        if (node.pipe.variables.length === 0) this.#print(node, value);
        return "on";
      }
      case "break":
      case "continue":
        return node.type;
      case "if":
      case "with":
        return this.#ifOrWith(node, dot);
      case "range":
        return this.#range(node, dot);
      case "list":
        return this.#list(node, dot);
      default:
        return this.#call(node, dot);
    }
  }

  #print(node: AnyNode, value: Value): void {
    this.#evaluator.at(node);
    if (value === undefined || value === null) this.#write("<no value>");
    else this.#write(typeof value === "string" ? value : showValue(value, this.#budget));
  }

  #ifOrWith(node: Branch, dot: Value): Flow {
    const mark = this.#evaluator.scope.mark();
    const value = this.#evaluator.pipeline(node.pipe, dot);
    let flow: Flow = "on";
    const loose = this.#evaluator.scope.looseDot;
    if (isTrue(value)) {
      if (node.type === "with") this.#evaluator.scope.looseDot = false;
      flow = this.#list(node.body, node.type === "with" ? value : dot);
      this.#evaluator.scope.looseDot = loose;
    } else if (node.otherwise !== undefined) flow = this.#list(node.otherwise, dot);
    this.#evaluator.scope.release(mark);
    return flow;
  }

  #range(node: Branch, dot: Value): Flow {
    const mark = this.#evaluator.scope.mark();
    const value = this.#evaluator.pipeline(node.pipe, dot);
    const loose = this.#evaluator.scope.looseDot;
    this.#evaluator.scope.looseDot =
      (value instanceof List || value instanceof Dict) && value.type.elem?.kind === "interface";
    const ran = this.#iterate(node, value);
    this.#evaluator.scope.looseDot = loose;
    let flow: Flow = "on";
    if (!ran && node.otherwise !== undefined) flow = this.#list(node.otherwise, dot);
    this.#evaluator.scope.release(mark);
    return flow;
  }

  /** Runs the body once for each element; false when there was none. */
  #iterate(node: Branch, value: Value): boolean {
    if (value === undefined || value === null) return false;
    if (value instanceof Int) return this.#count(node, value);
    if (value instanceof List) {
      for (let i = 0; i < value.length; i += 1) if (!this.#turn(node, int(i), value.at(i))) break;
      return value.length > 0;
    }
    if (value instanceof Bytes) {
      for (const [i, byte] of value.data.entries()) {
        if (!this.#turn(node, int(i), sized(types.uint8, BigInt(byte)))) break;
      }
      return value.data.length > 0;
    }
    if (value instanceof Dict) {
      const keys = value.keys().sort(compareText);
      this.#budget.spend(keys.length);
      // The pairs are fixed before the first turn: a body that changes the map does not change the walk.
      const pairs = keys.map((key) => [key, value.get(key)] as const);
      for (const [key, item] of pairs) if (!this.#turn(node, key, item)) break;
      return keys.length > 0;
    }
    const shown =
      value instanceof Struct && value.pointer ? new Struct(value.type.name, value.fields) : value;
    return this.#evaluator.fail(`range can't iterate over ${showValue(shown, this.#budget)}`);
  }

  #count(node: Branch, value: Int): boolean {
    if (node.pipe.variables.length > 1) {
      this.#evaluator.fail(`can't use ${value.value} to iterate over more than one variable`);
    }
    for (let i = 0n; i < value.value; i += 1n)
      if (!this.#turn(node, undefined, new Int(value.type, i))) break;
    return value.value > 0n;
  }

  /** One turn of a range; false ends it. */
  #turn(node: Branch, index: Value, element: Value): boolean {
    this.#budget.spend(1);
    const { variables, assign } = node.pipe;
    this.#evaluator.scope.setRange(variables, assign, index, element);
    const mark = this.#evaluator.scope.mark();
    const flow = this.#list(node.body, element);
    this.#evaluator.scope.release(mark);
    return flow !== "break";
  }

  #call(node: Extract<Node, { type: "template" }>, dot: Value): Flow {
    const tree = this.#template.trees.get(node.name);
    if (tree === undefined) return this.#evaluator.fail(`template ${JSON.stringify(node.name)} not defined`);
    if (this.#depth >= this.#budget.limits.maxDepth) {
      throw new LimitError(`exceeded maximum template depth (${this.#budget.limits.maxDepth})`);
    }
    const value = node.pipe === undefined ? undefined : this.#evaluator.pipeline(node.pipe, dot);
    const outer = this.#name;
    const scope = this.#evaluator.scope.enter(value);
    const loose = this.#evaluator.scope.looseDot;
    this.#depth += 1;
    this.#name = node.name;
    this.#evaluator.scope.looseDot = false;
    this.#list(tree, value);
    this.#evaluator.scope.looseDot = loose;
    this.#name = outer;
    this.#depth -= 1;
    this.#evaluator.scope.leave(scope);
    return "on";
  }

  /** Any error of this run with the place where it happened. */
  located(error: unknown): unknown {
    const deep = error instanceof RangeError;
    if (!(error instanceof CallError || error instanceof LimitError || deep)) return error;
    const node = this.#evaluator.node;
    const { line, column } = placeOf(this.#template.text, node?.pos ?? 0);
    const place = `${this.#template.name}:${line}:${column}`;
    const what = deep ? "nested too deep" : error.message;
    const shown = node === undefined ? "" : ` at <${show(node)}>`;
    return new TemplateError(`template: ${place}: executing ${JSON.stringify(this.#name)}${shown}: ${what}`, {
      stage: error instanceof CallError ? "execute" : "limit",
      template: this.#name,
      line,
      column,
    });
  }
}
