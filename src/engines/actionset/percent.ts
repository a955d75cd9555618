/** How percents are written: `43.33`, or `43` for programs that read them with an integer parser. */
export type PercentFormat = "decimal" | "integer";

/** All of it, in hundredths of a percent; whole numbers keep sums and means exact. */
export const whole = 10_000;
/** The most that work which has not ended well may show. */
export const almostWhole = 9_999;

/** A percent as hundredths, cut off and never rounded up; undefined when it is none. */
export function hundredths(percent: number): number | undefined {
  if (!Number.isFinite(percent) || percent < 0) return undefined;
  // 8.2 * 100 is 819.9999: the guard is far below a hundredth.
  return Math.min(whole, Math.floor(percent * 100 + 1e-6));
}

/** Hundredths as the status writes them. */
export function percentText(value: number, format: PercentFormat): string {
  const cut = Math.max(0, Math.min(whole, Math.floor(value)));
  if (format === "integer") return String(Math.floor(cut / 100));
  return `${Math.floor(cut / 100)}.${String(cut % 100).padStart(2, "0")}`;
}

/** The mean of some hundredths, cut off; 0 of none. */
export function mean(values: readonly number[]): number {
  if (values.length === 0) return 0;
  return Math.floor(values.reduce((sum, value) => sum + value, 0) / values.length);
}
