import { createHash } from "node:crypto";
import { labelValue } from "../../kube/index.ts";
import { labels, partOf } from "./names.ts";
import type { Pod, PodSpec } from "./shapes.ts";

/** Something with claims that a stage pod could hold in its place. */
export interface Candidate {
  readonly namespace: string;
  /** The pod's, the workload's or the claim's name. */
  readonly name: string;
  readonly spec: PodSpec;
}

/** What the stage pods of a run have in common. */
export interface StageOptions {
  readonly uid: string;
  readonly planUid: string;
  readonly image: string;
  /** Claims whose files are copied, as `namespace/name`. */
  readonly claims: ReadonlySet<string>;
}

/** A pod that does nothing but hold claims, so that its node's agent can read them. */
export type StagePod = Pod & { readonly spec: PodSpec };

const small = { cpu: "100m", memory: "128Mi" };

/** The claims of a pod that are to be copied. */
function claimsOf(
  candidate: Pick<Candidate, "namespace" | "spec">,
  wanted: ReadonlySet<string>,
): readonly string[] {
  return (candidate.spec.volumes ?? [])
    .flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
    .filter((claim) => wanted.has(`${candidate.namespace}/${claim}`));
}

/** The stage pods that are still to be made: none for a candidate all of whose claims are held already. */
export function missingStagePods(
  candidates: readonly Candidate[],
  existing: readonly Pod[],
  options: StageOptions,
): readonly StagePod[] {
  const held = new Map<string, string[][]>();
  const hold = (namespace: string, claims: readonly string[]) =>
    held.set(namespace, [...(held.get(namespace) ?? []), [...claims]]);
  for (const { metadata, spec = {} } of existing) {
    const namespace = metadata.namespace ?? "";
    hold(namespace, claimsOf({ namespace, spec }, options.claims));
  }
  const made: StagePod[] = [];
  for (const candidate of candidates) {
    const claims = claimsOf(candidate, options.claims);
    if (claims.length === 0) continue;
    const all = held.get(candidate.namespace) ?? [];
    if (all.some((one) => claims.every((claim) => one.includes(claim)))) continue;
    hold(candidate.namespace, claims);
    made.push(stagePod(candidate, options));
  }
  return made;
}

/** A sleeping likeness of a pod: its place, its account, its identity, and only the claims to copy. */
function stagePod(candidate: Candidate, options: StageOptions): StagePod {
  const { namespace, name, spec } = candidate;
  const volumes = (spec.volumes ?? []).filter(({ persistentVolumeClaim }) =>
    options.claims.has(`${namespace}/${persistentVolumeClaim?.claimName ?? ""}`),
  );
  const mine = new Set(volumes.map((volume) => volume.name));
  const containers = (spec.containers ?? []).map((container, i) => ({
    name: `sleep-${i}`,
    image: options.image,
    imagePullPolicy: "IfNotPresent",
    command: ["sleep", "infinity"],
    securityContext: sleeping(container.securityContext),
    resources: { requests: small, limits: small },
    volumeMounts: (container.volumeMounts ?? [])
      .filter((mount) => mine.has(mount.name))
      .map((mount) => ({ name: mount.name, mountPath: mount.mountPath })),
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: stageName(name, `${options.uid}/${namespace}/${name}`),
      namespace,
      labels: stageLabels(options),
    },
    spec: {
      ...(spec.nodeName !== undefined && { nodeName: spec.nodeName }),
      ...(spec.securityContext !== undefined && { securityContext: spec.securityContext }),
      ...(spec.serviceAccountName !== undefined && { serviceAccountName: spec.serviceAccountName }),
      // Whoever sleeps asks nothing.
      automountServiceAccountToken: false,
      // Nothing in it has to be ended with care.
      terminationGracePeriodSeconds: 0,
      containers,
      volumes,
    },
  };
}

/** Who the container was, for the claims' sake; nothing of what it was allowed to do, since it only sleeps. */
function sleeping(context: unknown): Readonly<Record<string, unknown>> {
  const given = (context ?? {}) as Readonly<Record<string, unknown>>; // read by name
  const kept = ["runAsUser", "runAsGroup", "runAsNonRoot", "seLinuxOptions"].filter((key) => key in given);
  return {
    ...Object.fromEntries(kept.map((key) => [key, given[key]])),
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  };
}

/** What stands for a claim that no workload uses. */
export function orphanCandidate(namespace: string, claim: string): Candidate {
  return {
    namespace,
    name: claim,
    spec: {
      containers: [{ name: "sleep", volumeMounts: [{ name: "stage", mountPath: "/var/data" }] }],
      volumes: [{ name: "stage", persistentVolumeClaim: { claimName: claim } }],
    },
  };
}

/** The labels of a run's stage pods. */
function stageLabels({
  uid,
  planUid,
}: Pick<StageOptions, "uid" | "planUid">): Readonly<Record<string, string>> {
  return {
    [labels.partOf]: partOf,
    [labels.migration]: labelValue(uid),
    [labels.plan]: labelValue(planUid),
    [labels.included]: labelValue(uid),
    [labels.isStagePod]: "True",
    [labels.migratedByMigration]: labelValue(uid),
    [labels.migratedByPlan]: labelValue(planUid),
  };
}

/** The same for the same pod of the same run, so that a second try finds the first one's pod. */
function stageName(name: string, seed: string): string {
  const mark = createHash("sha256").update(seed).digest("hex").slice(0, 5);
  return `${`stage-${name}`.replaceAll(/[.-]+/g, "-").slice(0, 57)}-${mark}`.replaceAll("--", "-");
}
