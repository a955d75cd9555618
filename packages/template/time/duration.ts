const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const longest = 2n ** 63n;

/** Go's time.ParseDuration in nanoseconds; undefined when it is none. */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)(.*)$/s.exec(text);
  const negative = match?.[1] === "-";
  const body = match?.[2] ?? "";
  if (body === "0") return 0n;
  if (body === "") return undefined;
  const term = /(\d*)(?:\.(\d*))?([^\d.]+)/y;
  let total = 0n;
  while (term.lastIndex < body.length) {
    const found = term.exec(body);
    if (found === null) return undefined;
    const [, whole = "", part = "", name = ""] = found;
    const unit = units[name];
    if (unit === undefined || whole + part === "") return undefined;
    total += BigInt(whole === "" ? "0" : whole) * unit + fraction(part, unit);
    if (total > longest) return undefined;
  }
  if (negative) return -total;
  return total >= longest ? undefined : total;
}

/** The part after the point: Go multiplies in floating point and cuts. */
function fraction(digits: string, unit: bigint): bigint {
  if (digits === "") return 0n;
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next >= longest) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** Go's Duration.String. */
export function durationText(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const negative = nanos < 0n;
  const all = negative ? -nanos : nanos;
  const sign = negative ? "-" : "";
  if (all < 1_000_000_000n) {
    if (all < 1000n) return `${sign}${all}ns`;
    const [unit, name, digits] =
      all < 1_000_000n ? ([1000n, "µs", 3] as const) : ([1_000_000n, "ms", 6] as const);
    return `${sign}${decimal(all, unit, digits)}${name}`;
  }
  const minutes = all / 60_000_000_000n;
  const seconds = `${decimal(all % 60_000_000_000n, 1_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(value: bigint, unit: bigint, digits: number): string {
  const part = (value % unit).toString().padStart(digits, "0").replace(/0+$/, "");
  return `${value / unit}${part === "" ? "" : `.${part}`}`;
}

/** Go's Duration.Round: halves go away from zero. */
export function roundDuration(nanos: bigint, unit: bigint): bigint {
  if (unit <= 0n) return nanos;
  const rest = nanos % unit;
  const size = rest < 0n ? -rest : rest;
  if (size + size < unit) return nanos - rest;
  const rounded = nanos < 0n ? nanos - (unit - size) : nanos + (unit - size);
  return rounded > longest - 1n ? longest - 1n : rounded < -longest ? -longest : rounded;
}
