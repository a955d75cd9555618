import { Card, CardBody, CardTitle } from "@patternfly/react-core";
import type { ReactNode } from "react";
import type { Curve } from "../../observe/index.ts";
import { formatDuration, formatRate, isTerminal, type Operation } from "../../progress/index.ts";
import { area, linePath, niceEnd, type Point, scaleTo, stepPath, throughput } from "../chart.ts";

/** How fast it went, and how right the estimates were. */
export function Charts({ operation, curve }: { readonly operation: Operation; readonly curve: Curve }) {
  const rates = curve.work ? throughput(curve.work.marks) : [];
  return (
    <div className="hw-charts">
      {curve.work && rates.length > 1 && <Throughput work={curve.work} rates={rates} />}
      {curve.told.length > 1 && <Predictions operation={operation} curve={curve} />}
    </div>
  );
}

function Throughput({
  work,
  rates,
}: {
  readonly work: NonNullable<Curve["work"]>;
  readonly rates: readonly Point[];
}) {
  const maxX = rates.at(-1)?.[0] ?? 1;
  const maxY = niceEnd(Math.max(...rates.map(([, y]) => y)), work.unit === "bytes" ? 1024 : 10);
  const scale = scaleTo(maxX, maxY);
  const total = (work.marks.at(-1)?.[1] ?? 0) / Math.max(1e-9, maxX / 1000);
  const words = `on average ${formatRate(total, work.unit)}, at most ${formatRate(Math.max(...rates.map(([, y]) => y)), work.unit)}`;
  return (
    <Chart title={`Throughput of ${work.title}`} words={words} maxX={maxX} yEnd={formatRate(maxY, work.unit)}>
      <path className="hw-chart__area" d={stepPath(rates, scale)} />
      <path className="hw-chart__line" d={stepPath(rates, scale)} />
    </Chart>
  );
}

function Predictions({ operation, curve }: { readonly operation: Operation; readonly curve: Curve }) {
  const isOver = isTerminal(operation.state);
  const eta = operation.eta && !("unknown" in operation.eta) ? operation.eta : undefined;
  const now: readonly Point[] = !isOver && eta ? [[curve.ms, curve.ms + eta.seconds * 1000]] : [];
  const told: readonly Point[] = [...curve.told, ...now];
  const ends = [
    curve.ms,
    ...told.map(([, end]) => end),
    ...(eta && !isOver ? [curve.ms + eta.high * 1000] : []),
  ];
  const maxX = Math.max(curve.ms, 1);
  const maxY = Math.max(...ends) * 1.08;
  const scale = scaleTo(maxX, maxY);
  const words = isOver
    ? `the first estimate was ${formatDuration((told[0]?.[1] ?? 0) / 1000)}, it took ${formatDuration(curve.ms / 1000)}`
    : `expected to take ${formatDuration((told.at(-1)?.[1] ?? 0) / 1000)} in all`;
  return (
    <Chart
      title="Expected end, each time it was told"
      words={words}
      maxX={maxX}
      yEnd={`${formatDuration(maxY / 1000)} from the start`}
      legend={[
        ["line", "expected end"],
        ["now", "time that had passed"],
        ...(isOver && operation.state === "completed" ? [["actual", "actual end"] as const] : []),
      ]}
    >
      <line
        className="hw-chart__now"
        x1={scale.x(0)}
        y1={scale.y(0)}
        x2={scale.x(curve.ms)}
        y2={scale.y(curve.ms)}
      />
      {isOver && operation.state === "completed" && (
        <line
          className="hw-chart__actual"
          x1={scale.x(0)}
          x2={scale.x(maxX)}
          y1={scale.y(curve.ms)}
          y2={scale.y(curve.ms)}
        />
      )}
      {eta && !isOver && (
        <line
          className="hw-chart__line"
          x1={scale.x(curve.ms)}
          x2={scale.x(curve.ms)}
          y1={scale.y(curve.ms + eta.low * 1000)}
          y2={scale.y(curve.ms + eta.high * 1000)}
        />
      )}
      <path className="hw-chart__line" d={linePath(told, scale)} />
    </Chart>
  );
}

/** What the lines of a chart are: how each looks, and its words. */
type Legend = readonly (readonly [look: "line" | "now" | "actual", words: string])[];

interface ChartProps {
  readonly legend?: Legend;
  readonly title: string;
  readonly words: string;
  readonly maxX: number;
  readonly yEnd: string;
  readonly children: ReactNode;
}

function Chart({ title, words, maxX, yEnd, legend = [], children }: ChartProps) {
  const bottom = area.top + area.height;
  return (
    <Card isCompact>
      <CardTitle component="h3">{title}</CardTitle>
      <CardBody>
        <svg className="hw-chart" viewBox="0 0 500 168" role="img" aria-label={`${title}: ${words}`}>
          <line
            className="hw-chart__grid"
            x1={area.left}
            x2={area.left + area.width}
            y1={area.top}
            y2={area.top}
          />
          <line
            className="hw-chart__grid"
            x1={area.left}
            x2={area.left + area.width}
            y1={bottom}
            y2={bottom}
          />
          <text x={area.left} y={area.top - 6}>
            {yEnd}
          </text>
          <text x={area.left} y={bottom + 16}>
            0
          </text>
          <text x={area.left + area.width} y={bottom + 16} textAnchor="end">
            {formatDuration(maxX / 1000)} of work
          </text>
          {children}
        </svg>
        {legend.length > 0 && (
          <ul className="hw-legend">
            {legend.map(([look, meaning]) => (
              <li key={look} className={`hw-legend__${look}`}>
                {meaning}
              </li>
            ))}
          </ul>
        )}
        <p className="hw-subtle">{words}</p>
      </CardBody>
    </Card>
  );
}
