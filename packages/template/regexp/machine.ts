import type { Budget } from "../budget.ts";
import { isEscape } from "../text.ts";
import { has } from "./classes.ts";
import type { Instruction } from "./program.ts";
import type { Assertion } from "./syntax.ts";

/** Places in the text: [start, end] of the match, then of each group; -1 where a group took no part. */
export type Match = readonly number[];

interface Threads {
  readonly order: number[];
  readonly slots: Match[];
  /** seen[pc] is the generation in which the instruction was last entered. */
  readonly seen: Uint32Array;
  generation: number;
}

/** Runs a program over a text in time that grows with text × program, whatever the pattern. */
export function search(
  program: readonly Instruction[],
  text: string,
  from: number,
  budget: Budget,
): Match | undefined {
  let now = threads(program.length);
  let next = threads(program.length);
  let found: Match | undefined;
  let at = from;
  for (;;) {
    if (found === undefined) enter(program, now, 0, [], text, at);
    if (now.order.length === 0 && found !== undefined) return found;
    budget.spend(1 + now.order.length);
    const code = codeAt(text, at);
    const width = code > 0xffff ? 2 : 1;
    for (const [i, pc] of now.order.entries()) {
      const instruction = program[pc];
      const slots = now.slots[i] ?? [];
      if (instruction?.op === "match") {
        // Later threads have less priority.
        found = slots;
        break;
      }
      if (instruction?.op === "class" && code >= 0 && has(instruction.class, code)) {
        enter(program, next, pc + 1, slots, text, at + width);
      }
    }
    if (code < 0) return found;
    clear(now);
    [now, next] = [next, now];
    at += width;
  }
}

function threads(size: number): Threads {
  return { order: [], slots: [], seen: new Uint32Array(size), generation: 1 };
}

function clear(set: Threads): void {
  set.order.length = 0;
  set.slots.length = 0;
  set.generation += 1;
}

/** Follows what consumes nothing, in order of priority; a stack of its own, as patterns can be long. */
function enter(
  program: readonly Instruction[],
  set: Threads,
  start: number,
  from: Match,
  text: string,
  at: number,
): void {
  const stack: { pc: number; slots: Match }[] = [{ pc: start, slots: from }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { pc, slots } = top;
    const instruction = program[pc];
    if (instruction === undefined || set.seen[pc] === set.generation) continue;
    set.seen[pc] = set.generation;
    switch (instruction.op) {
      case "jump":
        stack.push({ pc: instruction.to, slots });
        break;
      case "split":
        stack.push({ pc: instruction.second, slots }, { pc: instruction.first, slots });
        break;
      case "save": {
        const saved = slots.slice();
        while (saved.length < instruction.slot) saved.push(-1);
        saved[instruction.slot] = at;
        stack.push({ pc: pc + 1, slots: saved });
        break;
      }
      case "assert":
        if (holds(instruction.kind, text, at)) stack.push({ pc: pc + 1, slots });
        break;
      default:
        set.order.push(pc);
        set.slots.push(slots);
    }
  }
}

function codeAt(text: string, at: number): number {
  const code = text.codePointAt(at);
  if (code === undefined) return -1;
  return isEscape(code) ? 0xfffd : code;
}

function holds(kind: Assertion, text: string, at: number): boolean {
  switch (kind) {
    case "beginText":
      return at === 0;
    case "endText":
      return at === text.length;
    case "beginLine":
      return at === 0 || text[at - 1] === "\n";
    case "endLine":
      return at === text.length || text[at] === "\n";
    case "word":
      return isWord(text, at - 1) !== isWord(text, at);
    default:
      return isWord(text, at - 1) === isWord(text, at);
  }
}

function isWord(text: string, at: number): boolean {
  const char = text[at];
  return char !== undefined && /[0-9A-Za-z_]/.test(char);
}
