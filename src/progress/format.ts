import type { Eta, EtaUnknown } from "./eta.ts";
import type { Sample } from "./progress.ts";

/** Kanister's percent: two decimals, cut off and never rounded, no sign; `100.00` only for the whole. */
export function percentText(share: number, decimals: 0 | 2 = 2): string {
  const scale = decimals === 2 ? 100 : 1;
  const bounded = Number.isNaN(share) ? 0 : Math.min(1, Math.max(0, share));
  // 0.29 * 100 is 28.999…: a hair is given back, but never the last one before the whole.
  const cut = Math.floor(bounded * 100 * scale + 1e-7);
  return (Math.min(cut, bounded < 1 ? 100 * scale - 1 : 100 * scale) / scale).toFixed(decimals);
}

/** `43%`, cut off and never rounded up; a dash while unknown. */
export function formatPercent(share: number | undefined): string {
  return share === undefined ? "–" : `${percentText(share, 0)}%`;
}

const siUnits = ["B", "kB", "MB", "GB", "TB", "PB"] as const;
const iecUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] as const;

/** `1.5 GiB`, or with `si` `1.6 GB`: three figures at most, whole bytes below one thousand. */
export function formatBytes(bytes: number, system: "iec" | "si" = "iec"): string {
  if (!Number.isFinite(bytes) || bytes < 0) return "–";
  const base = system === "si" ? 1000 : 1024;
  const units = system === "si" ? siUnits : iecUnits;
  let value = bytes;
  let i = 0;
  // 1023.96 KiB would be printed as 1024.0 KiB.
  while (i < units.length - 1 && Number(value.toFixed(i === 0 ? 0 : 1)) >= base) {
    value /= base;
    i += 1;
  }
  return `${i === 0 ? Math.round(value) : value.toFixed(value < 100 ? 1 : 0)} ${units[i]}`;
}

/** `1h 02m 03s`, `2m 03s`, `3s`; days come before hours. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  const whole = Math.max(0, Math.round(seconds));
  const parts = [
    Math.floor(whole / 86_400),
    Math.floor(whole / 3600) % 24,
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  const first = Math.max(
    0,
    Math.min(
      3,
      parts.findIndex((part) => part > 0),
    ),
  );
  const from = parts.every((part) => part === 0) ? 3 : first;
  return parts
    .slice(from)
    .map((part, i) => `${i === 0 ? part : String(part).padStart(2, "0")}${"dhms"[from + i]}`)
    .join(" ");
}

/** The last moment that a calendar has, in epoch ms. */
const lastMoment = 8.64e15;

/** `2026-11-16T14:02:05Z`, as the cluster writes times. */
export function formatMoment(atMs: number): string {
  if (!(Math.abs(atMs) <= lastMoment)) return "–";
  // oxlint-disable-next-line no-restricted-globals -- a calendar, no clock
  return `${new Date(atMs).toISOString().slice(0, -5)}Z`;
}

/** `12.3 MiB/s`, `42 items/s`, `0.2 items/s`. */
export function formatRate(perSecond: number, unit: Sample["unit"]): string {
  if (!Number.isFinite(perSecond) || perSecond < 0) return "–";
  if (unit === "bytes") return `${formatBytes(perSecond)}/s`;
  return `${perSecond < 10 ? Number(perSecond.toFixed(1)) : Math.round(perSecond)} ${unit}/s`;
}

/** `3 of 10 items`, `1.0 GiB of 2.0 GiB`, `12 items so far`; a total that nobody measured is `about 2.0 GiB`. */
export function formatProgress(progress: Sample): string {
  const { unit, done, total, estimated } = progress;
  const about = estimated ? "about " : "";
  const text = (n: number) => (unit === "bytes" ? formatBytes(n) : String(n));
  const noun = unit === "bytes" ? "" : ` ${unit}`;
  return total === undefined
    ? `${text(done)}${noun} so far`
    : `${text(done)} of ${about}${text(total)}${noun}`;
}

/** As `formatProgress` in fewer columns: `3 of 10`, `1.0 of 2.0 GiB`, and one number where both are the same. */
export function formatProgressShort(progress: Sample): string {
  const { unit, done, total, estimated } = progress;
  if (total === undefined) return formatProgress(progress);
  const about = estimated ? "about " : "";
  if (estimated && done === total) return formatProgress(progress);
  if (done === total && unit !== "bytes") return done === 1 ? `1 ${unit.slice(0, -1)}` : `${done} ${unit}`;
  if (done === total) return formatBytes(done);
  if (unit !== "bytes") return `${done} of ${about}${total}`;
  const [value, of] = formatBytes(done).split(" ");
  const whole = formatBytes(total);
  return whole.endsWith(` ${of}`) ? `${value} of ${about}${whole}` : formatProgress(progress);
}

const reasons: Record<EtaUnknown, string> = {
  counting: "still counting",
  unmeasured: "nothing to measure by",
  "too-early": "too early to say",
  waiting: "waiting",
  stalled: "stalled",
};

/** `about 5 min left (4 to 8 min)`, short `about 5 min left`, or why nothing can be said. */
export function formatEta(eta: Eta, isShort = false): string {
  if ("unknown" in eta) return reasons[eta.unknown];
  if (eta.high < 10) return "a few seconds left";
  const [size, name] = eta.seconds < 90 ? [1, "s"] : eta.seconds < 5400 ? [60, "min"] : [3600, "h"];
  const number = (seconds: number) => (size === 1 ? String(Math.round(seconds)) : twoFigures(seconds / size));
  const [middle, low, high] = [number(eta.seconds), number(eta.low), number(eta.high)];
  const range = isShort || low === high ? "" : ` (${low} to ${high} ${name})`;
  return `about ${middle} ${name} left${range}`;
}

/** Two figures are all that an estimate is worth. */
function twoFigures(value: number): string {
  if (value < 10) return String(Number(value.toFixed(1)));
  const size = 10 ** (Math.floor(Math.log10(value)) - 1);
  return String(Math.round(value / size) * size);
}
