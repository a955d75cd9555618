import { type ActionSet, parseTimeMs, readActionProgress, readActionState } from "../../api/index.ts";
import { formatBytes, formatDuration } from "../../progress/index.ts";
import { clean, paint } from "../render/text.ts";

type ActionStatus = NonNullable<NonNullable<ActionSet["status"]>["actions"]>[number];
type Phase = NonNullable<ActionStatus["phases"]>[number];

const marks = { pending: "·", running: "▶", failed: "✗", complete: "✓" } as const;
const colors = { pending: "dim", running: "blue", failed: "red", complete: "green" } as const;

/** An ActionSet for people: its actions and phases as a tree, with percents, sizes and times. */
export function describeText(set: ActionSet, color: boolean): string {
  const { metadata, status } = set;
  const percent = status?.progress?.percentCompleted;
  const head = [
    ["Name", metadata.name],
    ["Namespace", metadata.namespace ?? ""],
    ["State", `${status?.state ?? "new"}${percent === undefined ? "" : `  ${percent}%`}`],
    ["Created", metadata.creationTimestamp ?? ""],
    ...(status?.error?.message ? [["Error", status.error.message]] : []),
  ];
  const lines = head.map(([name = "", value = ""]) => `${`${name}:`.padEnd(12)}${indented(value)}`);
  const actions = status?.actions ?? [];
  return `${[...lines, ...actions.flatMap((action, i) => ["", ...actionLines(action, set, i, color)])].join("\n")}\n`;
}

function actionLines(action: ActionStatus, set: ActionSet, index: number, color: boolean): string[] {
  const { name = "", object, blueprint = "", phases = [], deferPhase, artifacts = {}, progress } = action;
  const what = [object?.kind, [object?.namespace, object?.name].filter(Boolean).join("/")]
    .filter(Boolean)
    .join(" ");
  const profile = set.spec?.actions?.[index]?.profile?.name;
  const percent = progress?.percentCompleted === undefined ? "" : `  ${progress.percentCompleted}%`;
  const isDone = readActionState(set.status?.state) === "complete";
  return [
    paint(clean(`Action ${name}${what === "" ? "" : ` of ${what}`}`), "bold", color) + percent,
    `  blueprint ${blueprint}${profile === undefined ? "" : `, profile ${profile}`}`,
    ...phases.flatMap((phase) => phaseLines(phase, "", color)),
    ...(deferPhase?.name ? phaseLines(deferPhase, " (deferred)", color) : []),
    // Before the end they are templates, which say nothing.
    ...(isDone ? Object.entries(artifacts).flatMap(([key, artifact]) => artifactLines(key, artifact)) : []),
  ];
}

function phaseLines(phase: Phase, note: string, color: boolean): string[] {
  const state = readActionState(phase.state) ?? "pending";
  const said = readActionProgress(phase.progress);
  const [from, to] = [parseTimeMs(phase.startTime), parseTimeMs(phase.endTime)];
  const done = said.uploadedBytes ?? said.downloadedBytes;
  const total = said.uploadTotalBytes ?? said.downloadTotalBytes;
  const facts = [
    phase.progress?.progressPercent === undefined ? "" : `${phase.progress.progressPercent}%`,
    done === undefined ? "" : `${formatBytes(done)}${total === undefined ? "" : ` of ${formatBytes(total)}`}`,
    said.etaSeconds === undefined ? "" : `${formatDuration(said.etaSeconds)} left`,
    from !== undefined && to !== undefined ? `took ${formatDuration((to - from) / 1000)}` : "",
    clean(phase.step ?? ""),
  ].filter((fact) => fact !== "");
  const mark = paint(marks[state], colors[state], color);
  const outputs = Object.entries(phase.output ?? {}).map(
    ([key, value]) => `      ${clean(key)} = ${short(value)}`,
  );
  return [`  ${mark} ${clean(phase.name ?? "")}${note}  ${[state, ...facts].join(", ")}`, ...outputs];
}

function artifactLines(name: string, artifact: NonNullable<ActionStatus["artifacts"]>[string]): string[] {
  const values = Object.entries(artifact.keyValue ?? {}).map(
    ([key, value]) => `      ${clean(key)} = ${short(value)}`,
  );
  const kopia = artifact.kopiaSnapshot ? [`      kopia snapshot ${short(artifact.kopiaSnapshot)}`] : [];
  return [`    artifact ${clean(name)}`, ...values, ...kopia];
}

function short(value: unknown): string {
  const text = clean(typeof value === "string" ? value : JSON.stringify(value));
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}

function indented(text: string): string {
  return text
    .split("\n")
    .map(clean)
    .join(`\n${" ".repeat(12)}`);
}
