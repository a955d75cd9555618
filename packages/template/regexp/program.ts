import type { Assertion, CharClass, Regex } from "./syntax.ts";

/** One instruction of the machine. */
export type Instruction =
  | { readonly op: "class"; readonly class: CharClass }
  | { readonly op: "assert"; readonly kind: Assertion }
  | { readonly op: "save"; readonly slot: number }
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "jump"; to: number }
  | { readonly op: "match" };

/** Compiles a pattern; instructions follow each other, splits prefer their first way. */
export function compile(regex: Regex): readonly Instruction[] {
  const out: Instruction[] = [{ op: "save", slot: 0 }];
  emit(regex, out);
  out.push({ op: "save", slot: 1 }, { op: "match" });
  return out;
}

function emit(regex: Regex, out: Instruction[]): void {
  switch (regex.type) {
    case "empty":
      return;
    case "class":
      out.push({ op: "class", class: regex.class });
      return;
    case "assert":
      out.push({ op: "assert", kind: regex.kind });
      return;
    case "group":
      out.push({ op: "save", slot: regex.index * 2 });
      emit(regex.body, out);
      out.push({ op: "save", slot: regex.index * 2 + 1 });
      return;
    case "concat":
      for (const part of regex.parts) emit(part, out);
      return;
    case "alternate":
      alternate(regex.parts, out);
      return;
    default:
      repeat(regex, out);
  }
}

function alternate(parts: readonly Regex[], out: Instruction[]): void {
  const ends: { op: "jump"; to: number }[] = [];
  for (const [i, part] of parts.entries()) {
    if (i === parts.length - 1) {
      emit(part, out);
      break;
    }
    const split = { op: "split" as const, first: out.length + 1, second: 0 };
    out.push(split);
    emit(part, out);
    const end = { op: "jump" as const, to: 0 };
    ends.push(end);
    out.push(end);
    split.second = out.length;
  }
  for (const end of ends) end.to = out.length;
}

function repeat({ body, min, max, lazy }: Extract<Regex, { type: "repeat" }>, out: Instruction[]): void {
  if (max === Infinity) {
    for (let i = 1; i < min; i += 1) emit(body, out);
    if (min > 0) plus(body, lazy, out);
    // An empty body must not loop without end: (x+)? takes it at most once more.
    else if (canBeEmpty(body)) optional(() => plus(body, lazy, out), lazy, out);
    else star(body, lazy, out);
    return;
  }
  for (let i = 0; i < min; i += 1) emit(body, out);
  const more = (left: number): void => {
    if (left === 0) return;
    optional(
      () => {
        emit(body, out);
        more(left - 1);
      },
      lazy,
      out,
    );
  };
  more(max - min);
}

function split(lazy: boolean, on: number, off: number): { op: "split"; first: number; second: number } {
  return { op: "split", first: lazy ? off : on, second: lazy ? on : off };
}

function optional(inner: () => void, lazy: boolean, out: Instruction[]): void {
  const at = out.length;
  out.push({ op: "jump", to: 0 });
  inner();
  out[at] = split(lazy, at + 1, out.length);
}

function star(body: Regex, lazy: boolean, out: Instruction[]): void {
  const at = out.length;
  out.push({ op: "jump", to: 0 });
  emit(body, out);
  out.push({ op: "jump", to: at });
  out[at] = split(lazy, at + 1, out.length);
}

function plus(body: Regex, lazy: boolean, out: Instruction[]): void {
  const at = out.length;
  emit(body, out);
  out.push(split(lazy, at, out.length + 1));
}

function canBeEmpty(regex: Regex): boolean {
  switch (regex.type) {
    case "empty":
    case "assert":
      return true;
    case "class":
      return false;
    case "group":
      return canBeEmpty(regex.body);
    case "concat":
      return regex.parts.every(canBeEmpty);
    case "alternate":
      return regex.parts.some(canBeEmpty);
    default:
      return regex.min === 0 || canBeEmpty(regex.body);
  }
}
