import { clean, fit, width } from "./text.ts";

/** How a table is drawn. */
export interface TableStyle {
  /** The width of the terminal; without one nothing is cut. */
  readonly columns?: number | undefined;
  /** The column that names things: it is cut last of all. The first unless told otherwise. */
  readonly named?: number;
}

const gap = 3;
/** So much is left of every column; a heading is never cut. */
const least = 12;

/**
 * Rows under headings, each column as wide as its widest cell, three spaces apart, as kubectl prints them. On a terminal the widest
 * columns are cut until the lines fit; the one that names things last of all.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, named = 0 }: TableStyle = {},
): string {
  const cells = [headings, ...rows].map((row) => headings.map((_heading, i) => clean(row[i] ?? "")));
  const full = headings.map((_heading, i) => Math.max(...cells.map((row) => width(row[i] ?? ""))));
  const widths = columns === undefined ? full : narrowed(headings, full, columns, named);
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, i) => fit(cell, widths[i] ?? 0))
          .join(" ".repeat(gap))
          .trimEnd()}\n`,
    )
    .join("");
}

/** The widths that fit; what cannot be cut any more is left to wrap. */
function narrowed(
  headings: readonly string[],
  full: readonly number[],
  columns: number,
  named: number,
): readonly number[] {
  const widths = [...full];
  let over = sum(widths) + gap * (widths.length - 1) - columns;
  while (over > 0) {
    const room = widths.map((size, i) => size - Math.max(least, width(headings[i] ?? "")));
    const others = widths.map((size, i) => (i !== named && (room[i] ?? 0) > 0 ? size : 0));
    const most = Math.max(...others);
    const widest = most > 0 ? others.lastIndexOf(most) : named;
    if ((room[widest] ?? 0) <= 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
