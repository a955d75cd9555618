import type { Random } from "./random.ts";

/** What JSON can say. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  -1e21,
  1e300,
  5e-324,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  2 ** 63,
  100,
  101,
  8.64e15,
  8.64e15 + 1,
];
const texts = [
  "",
  " ",
  "a",
  "null",
  "true",
  "-1",
  "1e9",
  "NaN",
  "Infinity",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "length",
  "\u0000",
  "\ud800",
  "\u{1f600}",
  "\u202e\u2028",
  "é".normalize("NFD"),
  "/",
  "..",
  "../../etc/passwd",
  "a/b/c",
  "a:b",
  "a=b,c!=d",
  "*",
  "**",
  "[a-",
  "[z-a]",
  "(a+)+$",
  "{{ . }}",
  "{{",
  "%s%d%x",
  "\r\n",
  "2026-11-16T10:00:00Z",
  "+292277026596-01-01T00:00:00Z",
  "0000-00-00T00:00:00Z",
  "99999999999999999h",
  "-1s",
  "1h1h1h",
  "10Gi",
  "1e400Gi",
  "*/0 * * * *",
  "a".repeat(64),
  "a".repeat(254),
  "x".repeat(5000),
];
const keys = [
  "__proto__",
  "constructor",
  "",
  "metadata",
  "spec",
  "status",
  "name",
  "a.b/c",
  "0",
  "-1",
  "toString",
];

/** A text that parsers stumble over. */
export function hostileText(random: Random): string {
  return random.oneIn(6) ? random.of(texts) + random.of(texts) : random.of(texts);
}

/** A number at some edge. */
export function hostileNumber(random: Random): number {
  return random.oneIn(3) ? random.below(1000) : random.of(numbers);
}

/** Any JSON value, small mostly. */
export function anyJson(random: Random, depth = 3): Json {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
    case 3:
      return random.oneIn(2) ? hostileNumber(random) : hostileText(random);
    case 4:
      return hostileText(random);
    case 5:
      return Array.from({ length: random.size(6) }, () => anyJson(random, depth - 1));
    default:
      return made(
        Array.from({ length: random.size(6) }, () => [keyOf(random), anyJson(random, depth - 1)] as const),
      );
  }
}

/** The value with a few changes in its structure: kinds of values, keys, lengths, depth. */
export function mutateJson(random: Random, value: Json, times = 1 + random.size(5)): Json {
  let changed = value;
  for (let i = 0; i < times; i += 1) changed = changeSomewhere(random, changed, 12);
  return changed;
}

/** A value within that many lists and objects. */
export function deep(random: Random, depth: number): Json {
  let value = anyJson(random, 1);
  const key = keyOf(random);
  for (let i = 0; i < depth; i += 1) value = random.oneIn(2) ? [value] : made([[key, value]]);
  return value;
}

/** How many lists and objects are within each other. */
export function depthOf(value: Json): number {
  let [depth, level] = [0, [value]];
  while (level.length > 0) {
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one as { readonly [key: string]: Json }) : [],
    );
    depth += 1;
  }
  return depth - 1;
}

function changeSomewhere(random: Random, value: Json, depth: number): Json {
  if (typeof value !== "object" || value === null || depth === 0 || random.oneIn(6))
    return changeHere(random, value);
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (list.length === 0) return changeHere(random, value);
    const at = random.below(list.length);
    return list.with(at, changeSomewhere(random, list[at] ?? null, depth - 1));
  }
  const entries = Object.entries(value as { readonly [key: string]: Json });
  if (entries.length === 0) return changeHere(random, value);
  const at = random.below(entries.length);
  const [key, child] = entries[at] ?? ["", null];
  return made(entries.with(at, [key, changeSomewhere(random, child, depth - 1)]));
}

function changeHere(random: Random, value: Json): Json {
  if (random.oneIn(60)) return deep(random, random.size(random.oneIn(20) ? 2500 : 100));
  if (Array.isArray(value)) return changeList(random, value as readonly Json[]);
  if (typeof value === "object" && value !== null)
    return changeMap(random, value as { readonly [key: string]: Json });
  if (typeof value === "string" && random.oneIn(2)) return changeText(random, value);
  if (typeof value === "number" && random.oneIn(2)) return hostileNumber(random);
  return anyJson(random, 2);
}

function changeList(random: Random, list: readonly Json[]): Json {
  const at = random.below(list.length + 1);
  switch (random.below(6)) {
    case 0:
      return list.toSpliced(at, 1);
    case 1:
      return list.toSpliced(at, 0, anyJson(random));
    case 2:
      return [...list, ...list];
    case 3:
      return list.toReversed();
    case 4:
      return random.oneIn(20)
        ? Array.from({ length: random.size(3000) }, () => list[0] ?? null)
        : list.slice(at);
    default:
      return anyJson(random);
  }
}

function changeMap(random: Random, map: { readonly [key: string]: Json }): Json {
  const entries = Object.entries(map);
  const at = random.below(entries.length + 1);
  const [key, child] = entries[at] ?? [keyOf(random), null];
  switch (random.below(6)) {
    case 0:
      return made(entries.toSpliced(at, 1));
    case 1:
      return made([...entries, [keyOf(random), anyJson(random)]]);
    case 2:
      return made([...entries.toSpliced(at, 1), [key + hostileText(random), child]]);
    case 3:
      return made(entries.map(([name], i) => [name, entries[(i + 1) % entries.length]?.[1] ?? null]));
    case 4:
      return made([...entries, [key, null]]);
    default:
      return anyJson(random);
  }
}

function changeText(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(0, at) + hostileText(random) + text.slice(at);
    case 2:
      return text + text;
    case 3:
      return text.slice(0, at) + String.fromCharCode(random.below(65_536)) + text.slice(at + 1);
    default:
      return hostileText(random);
  }
}

function keyOf(random: Random): string {
  return random.oneIn(3) ? hostileText(random) : random.of(keys);
}

/** As JSON.parse makes objects: `__proto__` is a key like any other. */
function made(entries: readonly (readonly [string, Json])[]): { readonly [key: string]: Json } {
  return Object.fromEntries(entries);
}
