import { allKinds, apiVersionOf } from "../../api/index.ts";
import type { Observation, Ref, Sample, State } from "../../progress/index.ts";
import { messageOf, timesOf } from "../reading.ts";
import type { MigDetail as Detail } from "./write.ts";

const states: readonly State[] = [
  "pending",
  "running",
  "completed",
  "partially-failed",
  "failed",
  "canceled",
  "skipped",
];
const runs = ["Backup", "Restore"];
const volumes = ["PodVolumeBackup", "PodVolumeRestore"];

/** The objects that a phase of a migration works with, on either cluster; volumes under the run they belong to. */
export function readObjects(told: readonly Detail[], ref: Ref): readonly Observation[] {
  const details = told.filter(({ remark }) => !remark);
  const run = details.find(({ kind }) => runs.includes(kind ?? ""));
  const copies = details.filter(({ kind }) => volumes.includes(kind ?? ""));
  if (!run || copies.length === 0) return details.map((detail, i) => readDetail(detail, i, ref));
  return details
    .filter((detail) => !copies.includes(detail))
    .map((detail, i) => (detail === run ? readRun(run, copies, ref) : readDetail(detail, i, ref)));
}

/** Items, then volumes: the items are counted before the last volume is copied. */
function readRun(run: Detail, copies: readonly Detail[], ref: Ref): Observation {
  const { progress, ...whole } = readDetail(run, 0, ref);
  const isOver = whole.state !== "running" && whole.state !== "pending";
  const counted = progress?.total !== undefined && progress.done >= progress.total;
  return {
    ...whole,
    rule: "steps",
    children: [
      {
        id: "items",
        ref: whole.ref,
        kind: "items",
        title: "items",
        state: isOver ? (whole.state ?? "completed") : counted ? "completed" : "running",
        ...(progress && { progress }),
      },
      {
        id: "volumes",
        ref: whole.ref,
        kind: "volumes",
        title: "volumes",
        rule: "sum",
        children: copies.map((copy, i) => readDetail(copy, i, ref)),
      },
    ],
  };
}

function readDetail(detail: Detail, at: number, ref: Ref): Observation {
  const { kind = "object", namespace = "", name = String(at), cluster, done, total, estimated } = detail;
  const unit = detail.unit === "bytes" || detail.unit === "items" ? detail.unit : "steps";
  const progress: Sample | undefined =
    done === undefined
      ? undefined
      : {
          unit,
          done,
          ...(total !== undefined && { total }),
          ...(estimated && total !== undefined && { estimated: true as const }),
        };
  return {
    // The same name may stand on both clusters.
    id: `${kind}/${namespace}/${name}${cluster === undefined ? "" : `@${cluster}`}`,
    ref: detail.kind === undefined || detail.name === undefined ? ref : refOfDetail(detail),
    kind: kind.toLowerCase(),
    title: titleOf(detail, name),
    state: states.find((state) => state === detail.state) ?? (detail.completedAt ? "completed" : "running"),
    ...(progress && { progress }),
    ...timesOf(detail.startedAt, detail.completedAt),
    ...messageOf(detail.message),
  };
}

/** A volume by its claim, which keeps its name from run to run; everything else by its own name. */
function titleOf({ kind = "object", claim, cluster }: Detail, name: string): string {
  const what = claim ? `claim ${claim.namespace ?? ""}/${claim.name ?? ""}` : `${kind} ${name}`;
  return cluster ? `${what} (${cluster})` : what;
}

/** The object of a detail, on the cluster it names. */
function refOfDetail({ kind = "", namespace, name = "", cluster }: Detail): Ref {
  const known = allKinds.find((each) => each.kind === kind);
  return {
    ...(cluster !== undefined && { cluster }),
    apiVersion: known ? apiVersionOf(known) : "v1",
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
  };
}
