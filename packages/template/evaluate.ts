import { CallError } from "./error.ts";
import { show as showValue } from "./fmt/print.ts";
import { builtins, zeroOf } from "./functions/builtins.ts";
import { Args, type Context, dictType, type Func, valueType } from "./functions/define.ts";
import { methodOf } from "./functions/methods.ts";
import { type AnyNode, type Command, type Numeral, type Operand, type Pipe, show } from "./node.ts";
import { quote } from "./quote.ts";
import { Scope } from "./scope.ts";
import {
  Complex,
  Dict,
  type IntType,
  int,
  isTrue,
  NilPointer,
  Struct,
  sized,
  Time,
  type Type,
  typeOf,
  types,
  type Value,
  wrap,
} from "./value.ts";

/** Functions by name. */
export type Funcs = Readonly<Record<string, Func>>;

const callBuiltin = builtins["call"];
/** No argument came down the pipe. */
const missing = Symbol("missing");
type Final = Value | typeof missing;

/** Evaluates pipelines; holds the variables. */
export class Evaluator {
  readonly #functions: Funcs;
  readonly #context: Context;
  readonly #missingKey: "default" | "zero" | "error";
  readonly scope = new Scope();
  /** The node an error would point at. */
  node: AnyNode | undefined;

  constructor(around: { functions: Funcs; context: Context; missingKey: "default" | "zero" | "error" }) {
    this.#functions = around.functions;
    this.#context = around.context;
    this.#missingKey = around.missingKey;
  }

  at(node: AnyNode): void {
    this.node = node;
  }

  fail(message: string): never {
    throw new CallError(message);
  }

  pipeline(pipe: Pipe, dot: Value): Value {
    this.at(pipe);
    this.#context.budget.spend(1);
    let value: Final = missing;
    for (const command of pipe.commands) {
      value = this.#command(command, dot, value);
      // A nil interface is dug into, and there is nothing inside.
      if (value === null) value = undefined;
    }
    const result = value === missing ? undefined : value;
    for (const name of pipe.variables) {
      if (pipe.assign) this.scope.set(name, result);
      else this.scope.declare(name, result);
    }
    return result;
  }

  #command(command: Command, dot: Value, final: Final): Value {
    const [first] = command.args;
    if (first === undefined) return undefined;
    switch (first.type) {
      case "field":
        this.at(first);
        return this.#chain(dot, dot, first, first.names, command.args, final, this.scope.looseDot);
      case "chain":
        return this.#chainNode(first, dot, command.args, final);
      case "identifier":
        return this.#function(first, command, dot, command.args, final);
      case "pipe":
        this.#noArguments(command.args, final);
        return this.pipeline(first, dot);
      case "variable":
        return this.#variable(first, dot, command.args, final);
      default:
        this.at(first);
        this.#noArguments(command.args, final);
        return first.type === "nil" ? this.fail("nil is not a command") : this.#constant(first, dot);
    }
  }

  #constant(node: Operand, dot: Value): Value {
    if (node.type === "bool" || node.type === "string") return node.value;
    if (node.type === "dot") return dot;
    if (node.type === "number") return this.#ideal(node.numeral);
    return this.fail(`can't evaluate command ${quote(show(node))}`);
  }

  #noArguments(args: readonly Operand[], final: Final): void {
    const [first] = args;
    if (first !== undefined && (args.length > 1 || final !== missing)) {
      this.fail(`can't give argument to non-function ${show(first)}`);
    }
  }

  /** A number where no type is asked for: its spelling decides. */
  #ideal(numeral: Numeral): Value {
    const { text } = numeral;
    if (numeral.complex !== undefined) return new Complex(numeral.complex.re, numeral.complex.im);
    const plain = /^0[xX]/.test(text) && text.length > 2 ? /[pP]/.test(text) : !text.startsWith("'");
    if (numeral.float !== undefined && plain && /[.eEpP]/.test(text)) return numeral.float;
    if (numeral.int !== undefined) return int(numeral.int);
    return this.fail(`${text} overflows int`);
  }

  #chainNode(
    node: Extract<Operand, { type: "chain" }>,
    dot: Value,
    args: readonly Operand[],
    final: Final,
  ): Value {
    this.at(node);
    if (node.node.type === "nil") this.fail(`indirection through explicit nil in ${show(node)}`);
    const start = this.#operand(node.node, dot);
    return this.#chain(dot, start, node, node.names, args, final);
  }

  #variable(
    node: Extract<Operand, { type: "variable" }>,
    dot: Value,
    args: readonly Operand[],
    final: Final,
  ): Value {
    this.at(node);
    const name = node.names[0] ?? "$";
    const { value, loose } = this.scope.get(name);
    if (node.names.length > 1) {
      return this.#chain(dot, value, node, node.names.slice(1), args, final, loose);
    }
    this.#noArguments(args, final);
    return value;
  }

  #chain(
    dot: Value,
    start: Value,
    node: Operand,
    names: readonly string[],
    args: readonly Operand[],
    final: Final,
    loose = false,
  ): Value {
    let value = start;
    let inMap = loose;
    for (const [i, name] of names.entries()) {
      const last = i === names.length - 1;
      const next: Value = this.#field(
        dot,
        name,
        node,
        last ? args : [],
        last ? final : missing,
        value,
        inMap,
      );
      inMap = value instanceof Dict && value.type.elem?.kind === "interface";
      value = next;
    }
    return value;
  }

  #field(
    dot: Value,
    name: string,
    node: Operand,
    args: readonly Operand[],
    final: Final,
    receiver: Value,
    inMap: boolean,
  ): Value {
    if (receiver === undefined) {
      if (this.#missingKey === "error") this.fail(`nil data; no entry for key ${quote(name)}`);
      return undefined;
    }
    if (receiver instanceof Dict) return this.#entry(receiver, name, args, final);
    const typeName = inMap ? "interface {}" : typeOf(receiver).name;
    if (receiver === null) this.fail(`nil pointer evaluating ${typeName}.${name}`);
    const method = methodOf(receiver, name, this.#context);
    if (method !== undefined) return this.#invoke(dot, method, node, name, args, final);
    if (receiver instanceof Struct) {
      const field = receiver.field(name);
      if (field?.hidden === true) this.fail(`${name} is an unexported field of struct type ${typeName}`);
      if (field !== undefined) {
        if (args.length > 1 || final !== missing)
          this.fail(`${name} has arguments but cannot be invoked as function`);
        return wrap(field.value);
      }
    }
    if (receiver instanceof Time && ["wall", "ext", "loc"].includes(name)) {
      this.fail(`${name} is an unexported field of struct type ${typeName}`);
    }
    if (receiver instanceof NilPointer && receiver.fields.includes(name)) {
      this.fail(`nil pointer evaluating ${typeName}.${name}`);
    }
    return this.fail(`can't evaluate field ${name} in type ${typeName}`);
  }

  #entry(dict: Dict, name: string, args: readonly Operand[], final: Final): Value {
    if (args.length > 1 || final !== missing) this.fail(`${name} is not a method but has arguments`);
    const value = dict.get(name);
    if (value !== undefined || this.#missingKey === "default") return value;
    if (this.#missingKey === "error") this.fail(`map has no entry for key ${quote(name)}`);
    return zeroOf(dict);
  }

  #function(
    node: Extract<Operand, { type: "identifier" }>,
    command: AnyNode,
    dot: Value,
    args: readonly Operand[],
    final: Final,
  ): Value {
    this.at(node);
    const func = Object.hasOwn(this.#functions, node.name) ? this.#functions[node.name] : undefined;
    if (func === undefined) return this.fail(`${quote(node.name)} is not a defined function`);
    return this.#invoke(dot, func, command, node.name, args, final);
  }

  #invoke(
    dot: Value,
    func: Func,
    node: AnyNode,
    name: string,
    nodes: readonly Operand[],
    final: Final,
  ): Value {
    const args = nodes.slice(1);
    const count = args.length + (final === missing ? 0 : 1);
    this.#checkCount(func, name, count, args.length);
    // sprig does not replace and/or, so the name says it all.
    if (name === "and" || name === "or") return this.#logic(name, args, dot, final);
    if (func === callBuiltin) return this.#callValue(node, args, dot, final);
    const values: Value[] = [];
    for (const [i, arg] of args.entries()) values.push(this.#argument(arg, paramAt(func, i), dot));
    if (final !== missing) values.push(this.#checked(final, paramAt(func, count - 1)));
    this.#context.budget.spend(1);
    try {
      return func.call(new Args(values), this.#context);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.at(node);
      throw new CallError(`error calling ${name}: ${error.message}`, { cause: error });
    }
  }

  /** The builtin call: no value that a template can reach is a function. */
  #callValue(node: AnyNode, args: readonly Operand[], dot: Value, final: Final): never {
    const values = args.map((arg) => this.#argument(arg, valueType, dot));
    const [first] = args;
    const callee = first === undefined ? final : values[0];
    this.at(node);
    if (callee === undefined || callee === null || callee === missing)
      this.fail("error calling call: call of nil");
    const name = first === undefined ? showValue(callee, this.#context.budget) : show(first);
    return this.fail(`error calling call: non-function ${name} of type ${typeOf(callee).name}`);
  }

  #checkCount(func: Func, name: string, count: number, given: number): void {
    const want = func.params.length;
    if (func.variadic && count < want - 1)
      this.fail(`wrong number of args for ${name}: want at least ${want - 1} got ${given}`);
    if (!func.variadic && count !== want)
      this.fail(`wrong number of args for ${name}: want ${want} got ${count}`);
  }

  #logic(name: "and" | "or", args: readonly Operand[], dot: Value, final: Final): Value {
    let value: Value;
    for (const arg of args) {
      value = this.#argument(arg, valueType, dot);
      if (isTrue(value) === (name === "or")) return value;
    }
    return final === missing ? value : final;
  }

  #operand(node: Operand, dot: Value): Value {
    return this.#argument(node, undefined, dot);
  }

  /** An argument for a parameter; without one, whatever it is. */
  #argument(node: Operand, type: Type | undefined, dot: Value): Value {
    this.at(node);
    switch (node.type) {
      case "dot":
        return this.#checked(dot, type);
      case "nil":
        return type === types.any || type === undefined ? null : this.#nil(type);
      case "field":
        return this.#checked(this.#chain(dot, dot, node, node.names, [], missing, this.scope.looseDot), type);
      case "variable":
        return this.#checked(this.#variable(node, dot, [], missing), type);
      case "pipe":
        return this.#checked(this.pipeline(node, dot), type);
      case "identifier":
        return this.#checked(this.#function(node, node, dot, [], missing), type);
      case "chain":
        return this.#checked(this.#chainNode(node, dot, [], missing), type);
      default:
        return this.#literal(node, type);
    }
  }

  #nil(type: Type): Value {
    if (type === valueType) return undefined;
    if (type.kind === "map") return new Dict(dictType, new Map(), true);
    return this.fail(`cannot assign nil to ${type.name}`);
  }

  #literal(node: Extract<Operand, { type: "bool" | "string" | "number" }>, type: Type | undefined): Value {
    const wrong = (what: string) => this.fail(`expected ${what}; found ${show(node)}`);
    if (type === undefined || type.kind === "interface" || type === valueType) {
      return node.type === "number" ? this.#ideal(node.numeral) : node.value;
    }
    if (type.kind === "bool") return node.type === "bool" ? node.value : wrong("bool");
    if (type.kind === "string") return node.type === "string" ? node.value : wrong("string");
    const numeral = node.type === "number" ? node.numeral : undefined;
    if (type.kind === "float64") return numeral?.float ?? wrong("float");
    if (!("bits" in type)) return this.fail(`can't handle ${show(node)} for arg of type ${type.name}`);
    const integer = type as IntType;
    const value = integer.signed ? numeral?.int : numeral?.uint;
    return value === undefined
      ? wrong(integer.signed ? "integer" : "unsigned integer")
      : sized(integer, value);
  }

  /** A value as an argument of a type, or the error that Go gives. */
  #checked(value: Value, type: Type | undefined): Value {
    if (type === undefined || type === valueType) return value;
    if (value === undefined) {
      if (type === types.any) return null;
      return type.kind === "map" ? this.#nil(type) : this.fail(`invalid value; expected ${type.name}`);
    }
    if (type === types.any) return value;
    const own = typeOf(value);
    if (own.name === type.name || `*${type.name}` === own.name) return value;
    return this.fail(`wrong type for value; expected ${type.name}; got ${own.name}`);
  }
}

/** The parameter that an argument is for; the last one takes the rest. */
function paramAt(func: Func, index: number): Type | undefined {
  return func.params[index] ?? (func.variadic ? func.params.at(-1) : undefined);
}
