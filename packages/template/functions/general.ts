import { CallError } from "../error.ts";
import { toJson } from "../json.ts";
import { kindOf, typeOf, type Value } from "../value.ts";
import { deepEqual, isEmpty } from "./convert.ts";
import { define, type Func } from "./define.ts";

/** sprig's defaults, reflection, JSON and flow. */
export const general: Readonly<Record<string, Func>> = {
  default: define("any any...", (a) => (a.length < 2 || isEmpty(a.any(1)) ? a.any(0) : a.any(1))),
  empty: define("any", (a) => isEmpty(a.any(0))),
  coalesce: define("any...", (a) => a.rest(0).find((value) => !isEmpty(value)) ?? null),
  ternary: define("any any bool", (a) => (a.bool(2) ? a.any(0) : a.any(1))),
  toJson: define("any", (a, { budget }) => {
    const text = toJson(a.any(0));
    budget.text(text.length);
    return text;
  }),
  toPrettyJson: define("any", (a, { budget }) => {
    const text = toJson(a.any(0), "  ");
    budget.text(text.length);
    return text;
  }),
  typeOf: define("any", (a) => typeName(a.any(0))),
  typeIs: define("string any", (a) => a.text(0) === typeName(a.any(1))),
  typeIsLike: define("string any", (a) => [a.text(0), `*${a.text(0)}`].includes(typeName(a.any(1)))),
  kindOf: define("any", (a) => kindName(a.any(0))),
  kindIs: define("string any", (a) => a.text(0) === kindName(a.any(1))),
  deepEqual: define("any any", (a) => deepEqual(a.any(0), a.any(1))),
  fail: define("string", (a) => {
    throw new CallError(a.text(0));
  }),
};

function typeName(value: Value): string {
  return value === null || value === undefined ? "<nil>" : typeOf(value).name;
}

function kindName(value: Value): string {
  return value === null || value === undefined ? "invalid" : kindOf(value);
}
