import { CallError } from "../error.ts";
import { compareText } from "../text.ts";
import { Bytes, Dict, dict, isTrue, List, list, Struct, stringList, type Value } from "../value.ts";
import { textOf } from "./convert.ts";
import { type Context, define, type Func } from "./define.ts";
import { blankVersion } from "./semver.ts";

/** sprig's dictionary functions. Where Go walks a map in random order, ours goes by key. */
export const dicts: Readonly<Record<string, Func>> = {
  dict: define("any...", (a, context) => makeDict(a.rest(0), context)),
  set: define("dict string any", (a) => {
    const target = a.dict(0);
    if (target.isNil) throw new CallError("assignment to entry in nil map");
    target.set(a.text(1), a.any(2) ?? null);
    return target;
  }),
  unset: define("dict string", (a) => {
    a.dict(0).delete(a.text(1));
    return a.dict(0);
  }),
  hasKey: define("dict string", (a) => a.dict(0).has(a.text(1))),
  pluck: define("string dict...", (a) =>
    list(
      a
        .dicts(1)
        .filter((source) => source.has(a.text(0)))
        .map((source) => source.get(a.text(0))),
    ),
  ),
  keys: define("dict...", (a) => stringList(a.dicts(0).flatMap((source) => source.keys().sort(compareText)))),
  values: define("dict", (a) =>
    list(
      a
        .dict(0)
        .keys()
        .sort(compareText)
        .map((key) => a.dict(0).get(key)),
    ),
  ),
  pick: define("dict string...", (a) => {
    const source = a.dict(0);
    return dict(
      a
        .texts(1)
        .filter((key) => source.has(key))
        .map((key) => [key, source.get(key)] as const),
    );
  }),
  omit: define("dict string...", (a) => {
    const source = a.dict(0);
    const omitted = new Set(a.texts(1));
    return dict(
      source
        .keys()
        .filter((key) => !omitted.has(key))
        .map((key) => [key, source.get(key)] as const),
    );
  }),
  merge: define("dict dict...", (a, context) => mergeAll(a.dict(0), a.dicts(1), false, context)),
  mergeOverwrite: define("dict dict...", (a, context) => mergeAll(a.dict(0), a.dicts(1), true, context)),
  deepCopy: define("any", (a, context) => {
    if (a.any(0) === null) throw new CallError("reflect: call of reflect.Value.Type on zero Value");
    return copied(a.any(0), context, 0);
  }),
};

function makeDict(values: readonly Value[], { budget }: Context): Dict {
  const out = dict([]);
  for (let i = 0; i < values.length; i += 2) {
    out.set(textOf(values[i], budget), i + 1 < values.length ? (values[i + 1] ?? null) : "");
  }
  return out;
}

function mergeAll(target: Dict, sources: readonly Dict[], overwrite: boolean, context: Context): Value {
  // mergo makes a nil map before it fills it.
  const into = target.isNil && sources.some((source) => !source.isNil) ? dict([]) : target;
  for (const source of sources) merge(into, source, overwrite, context, 0);
  return into;
}

/** mergo 0.3 on maps: what is empty is filled, maps go deep, the rest only with `overwrite`. */
function merge(target: Dict, source: Dict, overwrite: boolean, context: Context, depth: number): void {
  if (depth > 200) throw new CallError("maps nest too deep to be merged");
  for (const key of source.keys().sort(compareText)) {
    context.budget.spend(1);
    const fresh = source.get(key);
    if (fresh === null || fresh === undefined) continue;
    const old = target.get(key);
    if (fresh instanceof Dict && old instanceof Dict && old !== fresh)
      merge(old, fresh, overwrite, context, depth + 1);
    const whole = fresh instanceof List || fresh instanceof Bytes;
    if (whole && overwrite) target.set(key, fresh);
    else if (isTrue(old) && (whole || fresh instanceof Dict)) continue;
    else if (overwrite || !isTrue(old)) target.set(key, fresh);
  }
}

function copied(value: Value, context: Context, depth: number): Value {
  if (depth > 200) throw new CallError("value nests too deep to be copied");
  context.budget.spend(1);
  if (value instanceof List)
    return new List(
      value.type,
      value.items().map((item) => copied(item, context, depth + 1)),
      value.isNil,
    );
  if (value instanceof Dict) {
    const entries = value.keys().map((key) => [key, copied(value.get(key), context, depth + 1)] as const);
    return new Dict(value.type, new Map(entries), value.isNil);
  }
  if (value instanceof Bytes) return new Bytes(value.data.slice());
  if (value instanceof Struct && value.type.name === "semver.Version") return blankVersion(value.pointer);
  return value;
}
