import { doneWords, formatDuration, type Operation, shownState, titleOf } from "../../progress/index.ts";
import { clean, fit, paint, width } from "./text.ts";
import { colors, marks, type TreeStyle, treeLines } from "./tree.ts";

/** An operation as it is drawn best: a pipeline on one line and what runs in it below, or a tree. */
export function operationLines(operation: Operation, nowMs: number, style: TreeStyle): string[] {
  return operation.children.some(({ kind }) => kind === "step")
    ? pipelineLines(operation, nowMs, style)
    : treeLines(operation, nowMs, style);
}

function pipelineLines(operation: Operation, nowMs: number, style: TreeStyle): string[] {
  const head = treeLines(operation, nowMs, { ...style, parts: () => [] });
  const steps = operation.children.filter(({ kind }) => kind === "step");
  const current = steps.find(isBad) ?? steps.findLast(({ state }) => state === "running");
  const parts = (part: Operation) => (part === current ? told(part) : part.children);
  const below = current ? treeLines(current, nowMs, { ...style, columns: style.columns - 2, parts }) : [];
  const lines = [...head, ...chain(steps, style), ...below].map((line, i) => (i === 0 ? line : `  ${line}`));
  return style.rows === undefined ? lines : lines.slice(0, Math.max(2, style.rows));
}

/** The steps on one line; on a narrow terminal those that are not running give way to their marks, and once all are over they take more lines. */
function chain(steps: readonly Operation[], { columns, color: isColored }: TreeStyle): string[] {
  const isOver = steps.every(({ state }) => state !== "running" && state !== "pending");
  const full = steps.map((step) => `${marks[shownState(step)]} ${stepWords(step)}`);
  const room = columns - 2;
  const parts =
    width(full.join(link)) <= room || isOver
      ? full
      : steps.map((step) =>
          step.state === "running"
            ? `${marks[shownState(step)]} ${stepWords(step)}`
            : marks[shownState(step)],
        );
  const lines = [""];
  const painted = [""];
  steps.forEach((step, i) => {
    const color = colors[shownState(step)];
    const part = fit(parts[i] ?? "", room, false);
    const before = lines.at(-1) ?? "";
    const joint = before === "" ? "" : link;
    if (width(before + joint + part) > room) {
      lines.push(part);
      painted.push(paint(part, color, isColored));
    } else {
      lines[lines.length - 1] = before + joint + part;
      painted[painted.length - 1] += joint + paint(part, color, isColored);
    }
  });
  return painted;
}

const link = " ── ";

function stepWords(step: Operation): string {
  const name = clean(titleOf(step));
  if (step.state === "running") return `${name} ${doneWords(step)}`;
  const { startedAt, finishedAt } = step;
  const took = startedAt !== undefined && finishedAt !== undefined ? finishedAt - startedAt : 0;
  return took < 1_000 ? name : `${name} ${formatDuration(took / 1000)}`;
}

/** The phases that run or went wrong; the others are on the step's line already. */
function told(step: Operation): Operation[] {
  return step.children.filter((part) => part.kind !== "phase" || part.state === "running" || isBad(part));
}

function isBad({ state }: Operation): boolean {
  return state === "failed" || state === "partially-failed";
}
