import { type CharClass, SyntaxFault } from "./syntax.ts";

type Ranges = readonly (readonly [number, number])[];

const digits: Ranges = [[48, 57]];
const words: Ranges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
];
const spaces: Ranges = [
  [9, 10],
  [12, 13],
  [32, 32],
];

/** \d, \s, \w and their opposites. */
export const perl: Readonly<Record<string, { readonly ranges: Ranges; readonly negated: boolean }>> = {
  d: { ranges: digits, negated: false },
  D: { ranges: digits, negated: true },
  s: { ranges: spaces, negated: false },
  S: { ranges: spaces, negated: true },
  w: { ranges: words, negated: false },
  W: { ranges: words, negated: true },
};

/** [:alpha:] and its kin. */
export const posix: Readonly<Record<string, Ranges>> = {
  alnum: [
    [48, 57],
    [65, 90],
    [97, 122],
  ],
  alpha: [
    [65, 90],
    [97, 122],
  ],
  ascii: [[0, 127]],
  blank: [
    [9, 9],
    [32, 32],
  ],
  cntrl: [
    [0, 31],
    [127, 127],
  ],
  digit: digits,
  graph: [[33, 126]],
  lower: [[97, 122]],
  print: [[32, 126]],
  punct: [
    [33, 47],
    [58, 64],
    [91, 96],
    [123, 126],
  ],
  space: [
    [9, 13],
    [32, 32],
  ],
  upper: [[65, 90]],
  word: words,
  xdigit: [
    [48, 57],
    [65, 70],
    [97, 102],
  ],
};

const categories = new Set(
  "C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs".split(
    " ",
  ),
);

/** \pL, \p{Greek}, \P…; `where` is quoted when there is no such class. */
export function property(
  name: string,
  negated: boolean,
  where: string,
): { pattern: RegExp; negated: boolean } {
  const bare = name.startsWith("^") ? name.slice(1) : name;
  const flipped = negated !== name.startsWith("^");
  if (bare === "Any") return { pattern: /^[^]$/u, negated: flipped };
  try {
    const inner = categories.has(bare) ? bare : `Script=${bare}`;
    return { pattern: new RegExp(`^\\p{${inner}}$`, "u"), negated: flipped };
  } catch {
    throw new SyntaxFault("invalid character class range", where);
  }
}

/** The opposite of some ranges. */
export function complement(ranges: Ranges): [number, number][] {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const out: [number, number][] = [];
  let next = 0;
  for (const [low, high] of sorted) {
    if (low > next) out.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= 0x10ffff) out.push([next, 0x10ffff]);
  return out;
}

/** Letters that differ in more than upper and lower case. */
const odd: Readonly<Record<number, readonly number[]>> = {
  0x4b: [0x212a],
  0x6b: [0x212a],
  0x53: [0x17f],
  0x73: [0x17f],
  0xc5: [0x212b],
  0xe5: [0x212b],
  0xdf: [0x1e9e],
  0x3a9: [0x2126],
  0x3c9: [0x2126],
  0x3c3: [0x3c2],
  0x3a3: [0x3c2],
  0xb5: [0x3bc, 0x39c],
  0x3bc: [0xb5],
  0x39c: [0xb5],
};

/** Whether a class has a code point. */
export function has(set: CharClass, code: number): boolean {
  const found = set.foldCase ? folded(code).some((variant) => inside(set, variant)) : inside(set, code);
  return found !== set.negated;
}

function folded(code: number): number[] {
  const char = String.fromCodePoint(code);
  const out = [code];
  for (const text of [char.toLowerCase(), char.toUpperCase(), char.toUpperCase().toLowerCase()]) {
    const mapped = text.codePointAt(0) ?? 0;
    if (text.length === (mapped > 0xffff ? 2 : 1)) out.push(mapped);
  }
  return [...out, ...(odd[code] ?? [])];
}

function inside(set: CharClass, code: number): boolean {
  for (const [low, high] of set.ranges) if (code >= low && code <= high) return true;
  for (const { pattern, negated } of set.properties) {
    if (pattern.test(String.fromCodePoint(code)) !== negated) return true;
  }
  return false;
}
