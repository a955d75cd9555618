/** Significant digits and where the point stands: 0.d1d2… × 10^point. */
interface Digits {
  readonly digits: string;
  readonly point: number;
}

/** The ways Go writes a float. */
export type FloatVerb = "e" | "E" | "f" | "g" | "G" | "b" | "x" | "X";

/** Go's strconv.FormatFloat for 64 bits; precision -1 is the shortest text that reads back the same. */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const negative = value < 0 || Object.is(value, -0);
  const sign = negative ? "-" : "";
  const positive = Math.abs(value);
  if (verb === "b") return sign + binary(positive);
  if (verb === "x" || verb === "X") return sign + hexadecimal(positive, precision, verb);
  const shortest = precision < 0;
  const found = shortest ? shortestDigits(positive) : rounded(exactDigits(positive), verb, precision);
  if (verb === "f")
    return sign + fixed(found, shortest ? Math.max(found.digits.length - found.point, 0) : precision);
  if (verb === "e" || verb === "E") {
    return sign + scientific(found, shortest ? Math.max(found.digits.length - 1, 0) : precision, verb);
  }
  return sign + general(found, shortest, precision === 0 ? 1 : precision, verb);
}

function general(found: Digits, shortest: boolean, precision: number, verb: "g" | "G"): string {
  const count = found.digits.length;
  let limit = precision;
  if (limit > count && count >= found.point) limit = count;
  if (shortest) limit = 6;
  const exponent = found.point - 1;
  if (exponent < -4 || exponent >= limit) {
    const digits = shortest || precision > count ? count : precision;
    return scientific(found, digits - 1, verb === "g" ? "e" : "E");
  }
  return fixed(found, Math.max(count - found.point, 0));
}

function scientific(found: Digits, precision: number, letter: "e" | "E"): string {
  const first = found.digits[0] ?? "0";
  const rest = precision > 0 ? `.${found.digits.slice(1, precision + 1).padEnd(precision, "0")}` : "";
  const exponent = found.digits === "" ? 0 : found.point - 1;
  return `${first}${rest}${letter}${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function fixed(found: Digits, precision: number): string {
  const { digits, point } = found;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "0";
  if (precision <= 0) return whole;
  const part = point >= 0 ? digits.slice(point) : "0".repeat(Math.min(-point, precision)) + digits;
  return `${whole}.${part.slice(0, precision).padEnd(precision, "0")}`;
}

function shortestDigits(value: number): Digits {
  if (value === 0) return { digits: "", point: 0 };
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  return { digits: mantissa.replace(".", ""), point: Number(exponent) + 1 };
}

/** Every digit of the float, which JavaScript's own rounding does not have. */
function exactDigits(value: number): Digits {
  if (value === 0) return { digits: "", point: 0 };
  const { mantissa, exponent } = parts(value);
  const whole = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const all = whole.toString();
  const point = all.length + Math.min(exponent, 0);
  return { digits: all.replace(/0+$/, ""), point };
}

function rounded(exact: Digits, verb: FloatVerb, precision: number): Digits {
  const keep =
    verb === "f"
      ? exact.point + precision
      : verb === "e" || verb === "E"
        ? precision + 1
        : Math.max(precision, 1);
  const { digits, point } = exact;
  if (keep >= digits.length) return exact;
  if (keep < 0) return { digits: "", point: 0 };
  const kept = digits.slice(0, keep);
  const next = digits.charCodeAt(keep) - 48;
  const half = next === 5 && keep + 1 === digits.length;
  const odd = keep > 0 && (kept.charCodeAt(keep - 1) & 1) === 1;
  if (half ? !odd : next < 5) return trimmed(kept, point);
  const up = (BigInt(kept === "" ? "0" : kept) + 1n).toString();
  return up.length > keep ? trimmed(up, point + 1) : trimmed(up.padStart(keep, "0"), point);
}

function trimmed(digits: string, point: number): Digits {
  const rest = digits.replace(/0+$/, "");
  return rest === "" ? { digits: "", point: 0 } : { digits: rest, point };
}

const bits = new DataView(new ArrayBuffer(8));

/** value = mantissa × 2^exponent, the mantissa with its hidden bit. */
function parts(value: number): { mantissa: bigint; exponent: number } {
  bits.setFloat64(0, value);
  const all = bits.getBigUint64(0);
  const biased = Number((all >> 52n) & 0x7ffn);
  const fraction = all & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function binary(value: number): string {
  const { mantissa, exponent } = parts(value);
  return `${mantissa}p${exponent < 0 ? "" : "+"}${exponent}`;
}

function hexadecimal(value: number, precision: number, verb: "x" | "X"): string {
  let { mantissa, exponent } = parts(value);
  if (mantissa === 0n) exponent = 0;
  else {
    while (mantissa < 1n << 60n) {
      mantissa <<= 1n;
      exponent -= 1;
    }
    exponent += 60;
  }
  if (precision >= 0 && precision < 15) {
    const shift = BigInt(60 - precision * 4);
    const extra = (mantissa & ((1n << shift) - 1n)) << (64n - shift);
    mantissa >>= shift;
    const half = 1n << 63n;
    if (extra > half || (extra === half && (mantissa & 1n) === 1n)) mantissa += 1n;
    mantissa <<= shift;
    if (mantissa >= 1n << 61n) {
      mantissa >>= 1n;
      exponent += 1;
    }
  }
  const all = (mantissa & ((1n << 60n) - 1n)).toString(16).padStart(15, "0");
  const part = precision < 0 ? all.replace(/0+$/, "") : all.slice(0, precision).padEnd(precision, "0");
  const text = `0x${mantissa >> 60n}${part === "" ? "" : `.${part}`}p${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return verb === "X" ? text.toUpperCase() : text;
}
