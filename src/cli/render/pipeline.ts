import { formatDuration, formatPercent, type Operation } from "../../progress/index.ts";
import { clean, fit, paint, width } from "./text.ts";
import { colors, marks, type TreeStyle, treeLines } from "./tree.ts";

/** An operation as it is drawn best: a pipeline on one line and what runs in it below, or a tree. */
export function operationLines(operation: Operation, nowMs: number, style: TreeStyle): string[] {
  return operation.children.some(({ kind }) => kind === "step")
    ? pipelineLines(operation, nowMs, style)
    : treeLines(operation, nowMs, style);
}

function pipelineLines(operation: Operation, nowMs: number, style: TreeStyle): string[] {
  const head = treeLines({ ...operation, children: [] }, nowMs, style);
  const steps = operation.children.filter(({ kind }) => kind === "step");
  const current =
    steps.find(({ state }) => state === "failed") ?? steps.findLast(({ state }) => state === "running");
  const below = current ? treeLines(focused(current), nowMs, { ...style, columns: style.columns - 2 }) : [];
  const lines = [...head, `  ${chain(steps, style)}`, ...below.map((line) => `  ${line}`)];
  return style.rows === undefined ? lines : lines.slice(0, Math.max(2, style.rows));
}

/** The steps on one line; on a narrow terminal those that are over give way to their marks. */
function chain(steps: readonly Operation[], { columns, color }: TreeStyle): string {
  const words = (step: Operation, short: boolean) => {
    const name = clean(step.title);
    if (step.state === "running") return `${name} ${formatPercent(step.fraction)}`;
    if (short) return "";
    const { startedAt, finishedAt } = step;
    const took = startedAt !== undefined && finishedAt !== undefined ? finishedAt - startedAt : undefined;
    return took === undefined || took < 1_000 ? name : `${name} ${formatDuration(took / 1000)}`;
  };
  const draw = (short: boolean) => steps.map((step) => ({ step, text: words(step, short) }));
  const size = (parts: ReturnType<typeof draw>) => width(parts.map(({ text }) => `✓ ${text}`).join(" ── "));
  const full = draw(false);
  const parts = size(full) <= columns - 2 ? full : draw(true);
  const line = parts.map(({ step, text }) => `${marks[step.state]} ${text}`.trimEnd()).join(" ── ");
  if (!color || width(line) > columns - 2) return fit(line, columns - 2, false);
  return parts
    .map(({ step, text }) => paint(`${marks[step.state]} ${text}`.trimEnd(), colors[step.state], color))
    .join(" ── ");
}

/** The step with the phases that run or went wrong; the others are on its line already. */
function focused(step: Operation): Operation {
  const told = step.children.filter(
    ({ state, kind }) => kind !== "phase" || state === "running" || state === "failed",
  );
  return { ...step, children: told };
}
