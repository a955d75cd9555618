const unitNs: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3, // U+00B5 micro sign
  μs: 1e3, // U+03BC Greek letter mu
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Milliseconds of a Go duration such as `1h30m` or `-1.5s`; undefined when it is none. */
export function parseGoDurationMs(text: string): number | undefined {
  const signed = /^([+-]?)(.+)$/.exec(text);
  const [, sign = "", body = ""] = signed ?? [];
  if (body === "0") return 0;
  // Each digit has one place in the pattern: with two, a long text that does not fit takes for ever.
  if (!/^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let ns = 0;
  for (const [, amount = "", unit = ""] of body.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    ns += Number(amount) * (unitNs[unit] ?? Number.NaN);
  }
  // Go counts in 63 bits, some 292 years; what is longer is no duration there either.
  if (ns >= 2 ** 63) return undefined;
  return (sign === "-" ? -ns : ns) / 1e6;
}

/** A duration as Go prints it: `720h0m0s`, `1.5s`, `250ms`, `0s`. */
export function formatGoDuration(durationMs: number): string {
  const ns = Math.round(Math.abs(durationMs) * 1e6);
  const sign = durationMs < 0 && ns > 0 ? "-" : "";
  if (ns === 0) return "0s";
  if (ns < 1e3) return `${sign}${ns}ns`;
  if (ns < 1e6) return `${sign}${trimmed(ns / 1e3)}µs`;
  if (ns < 1e9) return `${sign}${trimmed(ns / 1e6)}ms`;
  const hours = Math.floor(ns / 3600e9);
  const minutes = Math.floor((ns % 3600e9) / 60e9);
  const seconds = trimmed((ns % 60e9) / 1e9);
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}

function trimmed(value: number): string {
  return value.toFixed(9).replace(/\.?0+$/, "");
}
