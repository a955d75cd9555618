import { CallError } from "../error.ts";
import { sprintf } from "../fmt/format.ts";
import { show } from "../fmt/print.ts";
import { quote } from "../quote.ts";
import { byteLength, byteSlice, chars, joined, onBytes } from "../text.ts";
import { lowerCase, toLower, trimSpace, upperCase } from "../unicode.ts";
import { stringDict, stringList, type Value } from "../value.ts";
import { camelCase, separated } from "./casing.ts";
import { asStringList, textList, textOf } from "./convert.ts";
import { type Context, define, type Func, outOfRange } from "./define.ts";
import { abbreviate, deleteSpace, eachWord, initials, swapCase, titleCase, wrapText } from "./words.ts";

/** sprig's string functions. */
export const strings: Readonly<Record<string, Func>> = {
  hello: define("", () => "Hello!"),
  abbrev: define("int string", (a) => (a.int(0) < 4 ? a.text(1) : abbreviate(a.text(1), 0, a.int(0)))),
  abbrevboth: define("int int string", (a) => {
    const [left, right] = [a.int(0), a.int(1)];
    return right < 4 || (left > 0 && right < 7) ? a.text(2) : abbreviate(a.text(2), left, right);
  }),
  trunc: define("int string", (a) => truncated(a.int(0), a.text(1))),
  trim: define("string", (a) => trimSpace(a.text(0))),
  upper: define("string", (a) => upperCase(a.text(0))),
  lower: define("string", (a) => lowerCase(a.text(0))),
  title: define("string", (a) => titleCase(a.text(0))),
  untitle: define("string", (a) => eachWord(a.text(0), toLower)),
  substr: define("int int string", (a) => substring(a.int(0), a.int(1), a.text(2))),
  repeat: define("int string", (a, context) => repeated(a.int(0), a.text(1), context)),
  trimall: define("string string", (a) => trimChars(a.text(1), a.text(0))),
  trimAll: define("string string", (a) => trimChars(a.text(1), a.text(0))),
  trimSuffix: define("string string", (a) => {
    const { text, part, back } = onBytes(a.text(1), a.text(0));
    return back(part !== "" && text.endsWith(part) ? text.slice(0, -part.length) : text);
  }),
  trimPrefix: define("string string", (a) => {
    const { text, part, back } = onBytes(a.text(1), a.text(0));
    return back(text.startsWith(part) ? text.slice(part.length) : text);
  }),
  nospace: define("string", (a) => deleteSpace(a.text(0))),
  initials: define("string", (a) => initials(a.text(0))),
  swapcase: define("string", (a) => swapCase(a.text(0))),
  snakecase: define("string", (a) => separated(a.text(0), "_")),
  kebabcase: define("string", (a) => separated(a.text(0), "-")),
  camelcase: define("string", (a) => camelCase(a.text(0))),
  wrap: define("int string", (a, { budget }) => wrapText(a.text(1), a.int(0), "", false, budget)),
  wrapWith: define("int string string", (a, { budget }) =>
    wrapText(a.text(2), a.int(0), a.text(1), true, budget),
  ),
  contains: define("string string", (a) => {
    const { text, part } = onBytes(a.text(1), a.text(0));
    return text.includes(part);
  }),
  hasPrefix: define("string string", (a) => {
    const { text, part } = onBytes(a.text(1), a.text(0));
    return text.startsWith(part);
  }),
  hasSuffix: define("string string", (a) => {
    const { text, part } = onBytes(a.text(1), a.text(0));
    return text.endsWith(part);
  }),
  quote: define("any...", (a, { budget }) =>
    present(a.rest(0))
      .map((v) => quote(textOf(v, budget)))
      .join(" "),
  ),
  squote: define("any...", (a, { budget }) =>
    present(a.rest(0))
      .map((v) => `'${show(v, budget)}'`)
      .join(" "),
  ),
  cat: define("any...", (a, { budget }) => cat(present(a.rest(0)), budget)),
  indent: define("int string", (a, context) => indented(a.int(0), a.text(1), context)),
  nindent: define("int string", (a, context) => `\n${indented(a.int(0), a.text(1), context)}`),
  replace: define("string string string", (a, context) => replaced(a.text(2), a.text(0), a.text(1), context)),
  plural: define("string string int", (a) => (a.bigint(2) === 1n ? a.text(0) : a.text(1))),
  toString: define("any", (a, { budget }) => textOf(a.any(0), budget)),
  toStrings: define("any", (a, { budget }) => asStringList(a.any(0), budget)),
  join: define("string any", (a, { budget }) => {
    const texts = textList(a.any(1), budget);
    budget.text(texts.reduce((sum, text) => sum + text.length + a.text(0).length, 0));
    return joined(texts.join(a.text(0)));
  }),
  split: define("string string", (a, { budget }) => numbered(pieces(a.text(1), a.text(0), -1, budget))),
  splitn: define("string int string", (a, { budget }) =>
    numbered(pieces(a.text(2), a.text(0), a.int(1), budget)),
  ),
  splitList: define("string string", (a, { budget }) => stringList(pieces(a.text(1), a.text(0), -1, budget))),
};

function present(values: readonly Value[]): Value[] {
  return values.filter((value) => value !== null && value !== undefined);
}

function cat(values: readonly Value[], budget: Context["budget"]): string {
  return sprintf(values.map(() => "%v").join(" "), values, budget);
}

function truncated(size: number, text: string): string {
  const length = byteLength(text);
  if (length <= size) return text;
  if (size < 0) outOfRange(`[:${size}]`);
  return byteSlice(text, 0, size);
}

function substring(start: number, end: number, text: string): string {
  const length = byteLength(text);
  if (start < 0) {
    if (end < 0 || end > length) outOfRange(end < 0 ? `[:${end}]` : `[:${end}] with length ${length}`);
    return byteSlice(text, 0, end);
  }
  if (end < 0 || end > length) {
    if (start > length) outOfRange(`[${start}:${length}]`);
    return byteSlice(text, start, length);
  }
  if (start > end) outOfRange(`[${start}:${end}]`);
  return byteSlice(text, start, end);
}

function repeated(count: number, text: string, { budget }: Context): string {
  if (count < 0) throw new CallError("strings: negative Repeat count");
  if (text === "") return "";
  budget.text(count * text.length);
  return joined(text.repeat(count));
}

function indented(spaces: number, text: string, { budget }: Context): string {
  if (spaces < 0) throw new CallError("strings: negative Repeat count");
  budget.text(spaces);
  const pad = " ".repeat(spaces);
  budget.text(text.length + spaces * text.split("\n").length);
  return pad + text.replaceAll("\n", `\n${pad}`);
}

function trimChars(text: string, cutset: string): string {
  const cut = new Set(cutset);
  const all = chars(text);
  let from = 0;
  let to = all.length;
  while (from < to && cut.has(all[from] ?? "")) from += 1;
  while (to > from && cut.has(all[to - 1] ?? "")) to -= 1;
  return all.slice(from, to).join("");
}

function replaced(text: string, old: string, fresh: string, { budget }: Context): string {
  const count = old === "" ? text.length + 1 : text.split(old).length - 1;
  budget.text(text.length + count * fresh.length);
  if (old !== "") return joined(cut(text, old).join(fresh));
  return joined(
    fresh +
      chars(text)
        .map((char) => char + fresh)
        .join(""),
  );
}

/** Go's strings.SplitN; a negative limit is none, an empty separator splits characters. */
function pieces(text: string, separator: string, limit: number, budget: Context["budget"]): string[] {
  if (limit === 0) return [];
  const all = separator === "" ? chars(text) : cut(text, separator);
  budget.spend(all.length);
  if (limit < 0 || all.length <= limit) return all;
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)];
}

function cut(whole: string, separator: string): string[] {
  const { text, part, back } = onBytes(whole, separator);
  return text.split(part).map(back);
}

function numbered(parts: readonly string[]): Value {
  return stringDict(parts.map((part, i) => [`_${i}`, part] as const));
}
