import type { Budget } from "../budget.ts";
import { CallError } from "../error.ts";
import { canBackquote, quote } from "../quote.ts";
import { joined } from "../text.ts";
import { type Match, search } from "./machine.ts";
import { parseRegex } from "./parse.ts";
import { compile, type Instruction } from "./program.ts";
import { SyntaxFault } from "./syntax.ts";

/** A compiled pattern. */
export interface Pattern {
  readonly source: string;
  readonly program: readonly Instruction[];
  readonly names: readonly string[];
}

const cache = new Map<string, Pattern>();
const cacheSize = 128;

/** Compiles a pattern; a bounded number of short ones is remembered. Throws CallError in Go's words. */
export function pattern(source: string): Pattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  try {
    const { regex, names } = parseRegex(source);
    const made = { source, program: compile(regex), names };
    if (cache.size >= cacheSize) cache.clear();
    if (source.length < 1000) cache.set(source, made);
    return made;
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const shown = canBackquote(source) ? `\`${source}\`` : quote(source);
    throw new CallError(`regexp: Compile(${shown}): ${error.message}`, { cause: error });
  }
}

/** The first match at or after a place. */
export function find(re: Pattern, text: string, budget: Budget, from = 0): Match | undefined {
  return search(re.program, text, from, budget);
}

/** Every match, at most `limit` (negative: all), as Go's FindAll counts them. */
export function findAll(re: Pattern, text: string, limit: number, budget: Budget): Match[] {
  const out: Match[] = [];
  let at = 0;
  let lastEnd = -1;
  while ((limit < 0 || out.length < limit) && at <= text.length) {
    const match = find(re, text, budget, at);
    if (match === undefined) break;
    const [start = 0, end = 0] = match;
    // An empty match right after another match does not count.
    const counts = end !== at || start !== lastEnd;
    at = end === at ? at + widthAt(text, at) : end;
    lastEnd = end;
    if (counts) out.push(match);
  }
  return out;
}

/** Replaces every match by what `make` makes of it. */
export function replaceAll(
  re: Pattern,
  text: string,
  budget: Budget,
  make: (match: Match) => string,
): string {
  let out = "";
  let lastEnd = 0;
  let at = 0;
  while (at <= text.length) {
    const match = find(re, text, budget, at);
    if (match === undefined) break;
    const [start = 0, end = 0] = match;
    out += text.slice(lastEnd, start);
    if (end > lastEnd || start === 0) out += make(match);
    lastEnd = end;
    at = at + widthAt(text, at) > end ? at + widthAt(text, at) : end;
    budget.grow(out.length, 16);
  }
  return joined(out + text.slice(lastEnd));
}

/** Fills $1, ${1}, $name and ${name} of a replacement; $$ is a dollar. */
export function expand(re: Pattern, template: string, text: string, match: Match): string {
  return template.replace(
    /\$(?:\$|([\p{L}\p{Nd}_]+)|\{([\p{L}\p{Nd}_]+)\})/gu,
    (all, bare?: string, braced?: string) => {
      if (all === "$$") return "$";
      const name = bare ?? braced ?? "";
      // Of groups with one name, the first that took part counts; 01 is a name.
      const index = /^(0|[1-9]\d*)$/.test(name)
        ? Number(name)
        : re.names.findIndex((known, i) => known === name && (match[i * 2] ?? -1) >= 0);
      const start = match[index * 2] ?? -1;
      return index < 0 || start < 0 ? "" : text.slice(start, match[index * 2 + 1]);
    },
  );
}

/** Go's Split; undefined is a nil slice. */
export function split(re: Pattern, text: string, limit: number, budget: Budget): string[] | undefined {
  if (limit === 0) return undefined;
  if (re.source !== "" && text === "") return [""];
  const out: string[] = [];
  let begin = 0;
  let end = 0;
  for (const [start = 0, stop = 0] of findAll(re, text, limit, budget)) {
    if (limit > 0 && out.length === limit - 1) break;
    end = start;
    if (stop !== 0) out.push(text.slice(begin, end));
    begin = stop;
  }
  if (end !== text.length) out.push(text.slice(begin));
  return out;
}

function widthAt(text: string, at: number): number {
  const code = text.codePointAt(at);
  return code !== undefined && code > 0xffff ? 2 : 1;
}
