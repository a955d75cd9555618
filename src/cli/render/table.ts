import { clean, fit, width } from "./text.ts";

/** Rows under headings, each column as wide as its widest cell, three spaces apart, as kubectl prints them. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => headings.map((_heading, i) => clean(row[i] ?? "")));
  const widths = headings.map((_heading, i) => Math.max(...cells.map((row) => width(row[i] ?? ""))));
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, i) => fit(cell, widths[i] ?? 0))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}
