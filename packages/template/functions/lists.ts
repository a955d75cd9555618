import { CallError } from "../error.ts";
import { compareText } from "../text.ts";
import {
  Bytes,
  type Int,
  int,
  intList,
  isTrue,
  kindOf,
  List,
  list,
  nilList,
  stringList,
  type Value,
} from "../value.ts";
import { deepEqual, itemsOf, listItems, textList, textOf, toInt64 } from "./convert.ts";
import { type Context, define, type Func, outOfRange } from "./define.ts";

/** sprig's list functions. */
export const lists: Readonly<Record<string, Func>> = {
  list: define("any...", (a) => variadic(a.rest(0))),
  tuple: define("any...", (a) => variadic(a.rest(0))),
  append: define("any any", (a) => list([...listItems(a.any(0), "Cannot push on type"), a.any(1)])),
  push: define("any any", (a) => list([...listItems(a.any(0), "Cannot push on type"), a.any(1)])),
  prepend: define("any any", (a) => list([a.any(1), ...listItems(a.any(0), "Cannot prepend on type")])),
  first: define("any", (a) => listItems(a.any(0), "Cannot find first on type")[0] ?? null),
  last: define("any", (a) => listItems(a.any(0), "Cannot find last on type").at(-1) ?? null),
  rest: define("any", (a) => part(listItems(a.any(0), "Cannot find rest on type"), 1)),
  initial: define("any", (a) => part(listItems(a.any(0), "Cannot find initial on type"), 0, -1)),
  reverse: define("any", (a) => list(listItems(a.any(0), "Cannot find reverse on type").reverse())),
  compact: define("any", (a) => list(listItems(a.any(0), "Cannot compact on type").filter(isTrue))),
  uniq: define("any", (a, context) =>
    list(distinct(listItems(a.any(0), "Cannot find uniq on type"), context)),
  ),
  without: define("any any...", (a, { budget }) => {
    const items = listItems(a.any(0), "Cannot find without on type");
    budget.spend(items.length * a.length);
    return list(items.filter((item) => !a.rest(1).some((omitted) => deepEqual(item, omitted))));
  }),
  has: define("any any", (a) => {
    const hay = a.any(1);
    if (hay === null) return false;
    return listItems(hay, "Cannot find has on type").some((item) => deepEqual(a.any(0), item));
  }),
  slice: define("any any...", (a) => slice(a.any(0), a.rest(1))),
  concat: define("any...", (a, { budget }) => {
    const all = a.rest(0).map((value) => concatenated(value));
    budget.spend(all.reduce((sum, items) => sum + items.length, 0));
    const items = all.flat();
    return items.length === 0 ? nilList() : list(items);
  }),
  sortAlpha: define("any", (a, { budget }) => {
    const value = a.any(0);
    if (itemsOf(value) === undefined) return stringList([textOf(value, budget)]);
    return stringList(textList(value, budget).sort(compareText));
  }),
  until: define("int", (a, context) => untilStep(0n, a.bigint(0), a.bigint(0) < 0n ? -1n : 1n, context)),
  untilStep: define("int int int", (a, context) => untilStep(a.bigint(0), a.bigint(1), a.bigint(2), context)),
};

/** A variadic call without arguments gives an empty slice that is not nil. */
function variadic(values: readonly Value[]): List {
  return list(values);
}

function part(items: Value[], from: number, to?: number): List {
  return items.length === 0 ? nilList() : list(items.slice(from, to));
}

function concatenated(value: Value): Value[] {
  if (value === null || value === undefined) {
    throw new CallError("runtime error: invalid memory address or nil pointer dereference");
  }
  const items = itemsOf(value);
  if (items === undefined) throw new CallError(`Cannot concat type ${kindOf(value)} as list`);
  return items;
}

function distinct(items: readonly Value[], { budget }: Context): Value[] {
  const out: Value[] = [];
  for (const item of items) {
    budget.spend(out.length);
    if (!out.some((known) => deepEqual(item, known))) out.push(item);
  }
  return out;
}

function slice(value: Value, bounds: readonly Value[]): Value {
  const items = listItems(value, "list should be type of slice or array but");
  if (items.length === 0) return null;
  const from = bounds.length > 0 ? toInt64(bounds[0]) : 0n;
  const to = bounds.length > 1 ? toInt64(bounds[1]) : BigInt(items.length);
  const capacity = value instanceof List ? value.capacity : items.length;
  if (from < 0n || to < from || to > BigInt(capacity)) {
    throw new CallError("reflect.Value.Slice: slice index out of bounds");
  }
  if (value instanceof Bytes) return new Bytes(value.data.subarray(Number(from), Number(to)));
  return value instanceof List ? value.slice(Number(from), Number(to)) : outOfRange("");
}

function untilStep(start: bigint, stop: bigint, step: bigint, { budget }: Context): Value {
  if (stop < start ? step >= 0n : step <= 0n) return intList([]);
  const distance = stop < start ? start - stop : stop - start;
  const size = step < 0n ? -step : step;
  budget.spend(Number((distance + size - 1n) / size));
  const out: Int[] = [];
  for (let i = start; stop < start ? i > stop : i < stop; i += step) out.push(int(i));
  return new List(intList([]).type, out);
}
