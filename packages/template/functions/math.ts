import { CallError } from "../error.ts";
import { show } from "../fmt/print.ts";
import { parseInt64 } from "../number.ts";
import { int, int64 } from "../value.ts";
import { toFloat64, toInt64, wrapped } from "./convert.ts";
import { define, type Func } from "./define.ts";

const largest = define("any any...", (a) =>
  int64(
    a
      .rest(0)
      .map(toInt64)
      .reduce((x, y) => (y > x ? y : x)),
  ),
);

/** sprig's numbers: integers are int64 and wrap. */
export const math: Readonly<Record<string, Func>> = {
  atoi: define("string", (a) => {
    const parsed = parseInt64(a.text(0), 10);
    if (typeof parsed === "bigint") return int(parsed);
    // Atoi gives the nearest value along with its error, and sprig drops the error.
    if (parsed === "range") return int(a.text(0).startsWith("-") ? -(2n ** 63n) : 2n ** 63n - 1n);
    return int(0);
  }),
  int64: define("any", (a) => int64(toInt64(a.any(0)))),
  int: define("any", (a) => int(toInt64(a.any(0)))),
  float64: define("any", (a) => toFloat64(a.any(0))),
  toDecimal: define("any", (a, { budget }) => {
    const parsed = parseInt64(show(a.any(0), budget), 8);
    return int64(typeof parsed === "bigint" ? parsed : 0n);
  }),
  add1: define("any", (a) => wrapped(toInt64(a.any(0)) + 1n)),
  add: define("any...", (a) => wrapped(a.rest(0).reduce((sum, value) => sum + toInt64(value), 0n))),
  sub: define("any any", (a) => wrapped(toInt64(a.any(0)) - toInt64(a.any(1)))),
  mul: define("any any...", (a) =>
    wrapped(
      a
        .rest(1)
        .reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt64(value)), toInt64(a.any(0))),
    ),
  ),
  div: define("any any", (a) => wrapped(toInt64(a.any(0)) / divisor(toInt64(a.any(1))))),
  mod: define("any any", (a) => wrapped(toInt64(a.any(0)) % divisor(toInt64(a.any(1))))),
  max: largest,
  biggest: largest,
  min: define("any any...", (a) =>
    int64(
      a
        .rest(0)
        .map(toInt64)
        .reduce((x, y) => (y < x ? y : x)),
    ),
  ),
  ceil: define("any", (a) => Math.ceil(toFloat64(a.any(0)))),
  floor: define("any", (a) => Math.floor(toFloat64(a.any(0)))),
  round: define("any int float64...", (a) =>
    round(toFloat64(a.any(0)), a.int(1), a.length > 2 ? a.float(2) : 0.5),
  ),
};

function divisor(value: bigint): bigint {
  if (value === 0n) throw new CallError("runtime error: integer divide by zero");
  return value;
}

function round(value: number, places: number, roundOn: number): number {
  const power = 10 ** places;
  const digit = power * value;
  // Modf's fraction has the sign of the number, so that -1.5 rounds down.
  const part = digit - Math.trunc(digit);
  const whole = part >= roundOn ? Math.ceil(digit) : Math.floor(digit);
  return whole / power;
}
