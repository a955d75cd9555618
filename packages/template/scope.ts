import { CallError } from "./error.ts";
import type { Value } from "./value.ts";

interface Variable {
  readonly name: string;
  value: Value;
  /** Taken out of a map or a list of interfaces: errors then name that type. */
  loose: boolean;
}

/** The variables of the running template, innermost last. */
export class Scope {
  #variables: Variable[] = [];
  /** Whether dot was taken out of a map or a list of interfaces. */
  looseDot = false;

  /** Starts a scope of its own, with $ alone; what to give to leave() afterwards. */
  enter(data: Value): readonly Variable[] {
    const outer = this.#variables;
    this.#variables = [{ name: "$", value: data, loose: false }];
    return outer;
  }

  leave(outer: readonly Variable[]): void {
    this.#variables = [...outer];
  }

  mark(): number {
    return this.#variables.length;
  }

  release(mark: number): void {
    this.#variables.length = mark;
  }

  declare(name: string, value: Value): void {
    this.#variables.push({ name, value, loose: false });
  }

  get(name: string): { readonly value: Value; readonly loose: boolean } {
    return this.#find(name);
  }

  set(name: string, value: Value): void {
    const variable = this.#find(name);
    variable.value = value;
    variable.loose = false;
  }

  /** Gives a range's variables their values; when declared they are the topmost. */
  setRange(names: readonly string[], assign: boolean, index: Value, element: Value): void {
    const [first, second] = names;
    if (first === undefined) return;
    if (assign) {
      this.set(first, second === undefined ? element : index);
      if (second !== undefined) this.set(second, element);
      return;
    }
    const top = this.#variables.at(-1);
    if (top !== undefined) {
      top.value = element;
      top.loose = this.looseDot;
    }
    const below = second === undefined ? undefined : this.#variables.at(-2);
    if (below !== undefined) below.value = index;
  }

  #find(name: string): Variable {
    const found = this.#variables.findLast((variable) => variable.name === name);
    if (found === undefined) throw new CallError(`undefined variable: ${name}`);
    return found;
  }
}
