/** A point of a chart, in the numbers' own units. */
export type Point = readonly [x: number, y: number];

/** How numbers become places. */
export interface Scale {
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
}

/** The inner area of every chart, in the units of its viewBox. */
export const area = { left: 4, top: 22, width: 492, height: 124 } as const;

/** A scale from zero to the given ends. */
export function scaleTo(maxX: number, maxY: number): Scale {
  return {
    x: (value) => area.left + (maxX > 0 ? value / maxX : 0) * area.width,
    y: (value) => area.top + area.height - (maxY > 0 ? Math.min(1, value / maxY) : 0) * area.height,
  };
}

/** An end for an axis that reads well: 1, 2 or 5 times a power of the base. */
export function niceEnd(value: number, base: 10 | 1024 = 10): number {
  if (!(value > 0)) return 1;
  const unit = base === 1024 ? 1024 ** Math.floor(Math.log(value) / Math.log(1024)) : 1;
  const rest = value / unit;
  const power = 10 ** Math.floor(Math.log10(rest));
  const step = [1, 2, 5, 10].find((each) => each * power >= rest) ?? 10;
  return step * power * unit;
}

/** Units a second between marks `[ms, done]`; marks closer than a fortieth of the whole are taken together. */
export function throughput(marks: readonly Point[]): readonly Point[] {
  const least = ((marks.at(-1)?.[0] ?? 0) - (marks[0]?.[0] ?? 0)) / 40;
  const rates: Point[] = [];
  let from = marks[0];
  for (const mark of marks.slice(1)) {
    if (!from || mark[0] - from[0] < Math.max(least, 1)) continue;
    rates.push([mark[0], Math.max(0, mark[1] - from[1]) / ((mark[0] - from[0]) / 1000)]);
    from = mark;
  }
  return rates;
}

/** The path of a line through points. */
export function linePath(points: readonly Point[], scale: Scale): string {
  return points
    .map(([x, y], i) => `${i === 0 ? "M" : "L"}${scale.x(x).toFixed(1)} ${scale.y(y).toFixed(1)}`)
    .join("");
}

/** The path of steps, each as wide as the time it stands for. */
export function stepPath(points: readonly Point[], scale: Scale): string {
  let path = `M${scale.x(0).toFixed(1)} ${scale.y(0).toFixed(1)}`;
  for (const [x, y] of points) path += `V${scale.y(y).toFixed(1)}H${scale.x(x).toFixed(1)}`;
  return `${path}V${scale.y(0).toFixed(1)}Z`;
}
