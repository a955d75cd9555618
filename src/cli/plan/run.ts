import { findCondition, kinds, type MigPlan } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { demandNamed, isPrinted, type Named } from "../make.ts";
import {
  conditionLines,
  createObjects,
  getObjects,
  headOf,
  readiness,
  whyNot,
} from "../migration/objects.ts";
import { table } from "../render/table.ts";

const plans = resourceOf(kinds.MigPlan);
/** How long `--wait` waits for a plan to become ready, or to be closed. */
const patienceMs = 120_000;

/** Makes a plan; `--wait` stays until it is ready. */
export async function createPlan(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const [name = ""] = input.args;
  const namespace = text(input, "namespace") ?? io.env["VELERO_NAMESPACE"] ?? "velero";
  const ref = (flag: string) => ({ name: text(input, flag) ?? "", namespace });
  const hooks = texts(input, "hook").map((word) => readHook(word, namespace));
  const plan = {
    ...headOf("MigPlan", name, namespace),
    spec: {
      srcMigClusterRef: ref("from"),
      destMigClusterRef: ref("to"),
      migStorageRef: ref("storage"),
      namespaces: texts(input, "namespaces").map(readNamespace),
      // Volumes and images go through the store; upstream takes an absent field for the direct way.
      indirectImageMigration: true,
      indirectVolumeMigration: true,
      ...(hooks.length > 0 && { hooks }),
    },
  };
  if (!isPrinted(input)) {
    await withCluster(input, io, ({ client }) => demandNamed(client, namespace, namedBy(input), signal));
  }
  if (!(await createObjects([plan], { input, io }, signal))) return 0;
  io.err(`plan "${name}" was created\n`);
  if (given(input, "wait")) return untilReady(input, io, name, signal);
  io.err(`\`headway plan describe ${name}\` tells whether it is ready\n`);
  return 0;
}

/** What the flags of a plan name. */
function namedBy(input: Input): readonly Named[] {
  const [clusters, storages] = [resourceOf(kinds.MigCluster), resourceOf(kinds.MigStorage)];
  return [
    { word: "cluster", resource: clusters, name: text(input, "from") },
    { word: "cluster", resource: clusters, name: text(input, "to") },
    { word: "storage", resource: storages, name: text(input, "storage") },
  ];
}

/** Lists plans. */
export function getPlans(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  return getObjects(
    "MigPlan",
    {
      headings: ["NAME", "STATUS", "FROM", "TO", "STORAGE", "NAMESPACES", "VOLUMES", "WHY"],
      rowOf: ({ metadata, spec, status }) => [
        metadata.name,
        readiness(status?.conditions),
        spec?.srcMigClusterRef?.name ?? "",
        spec?.destMigClusterRef?.name ?? "",
        spec?.migStorageRef?.name ?? "",
        (spec?.namespaces ?? []).join(","),
        String(spec?.persistentVolumes?.length ?? 0),
        whyNot(status?.conditions),
      ],
    },
    { input, io },
    signal,
  );
}

/** Tells everything about plans. */
export async function describePlans(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async ({ client, namespace }) => {
    for (const name of input.args)
      io.out(describePlan(await client.get<MigPlan>(plans, name, { namespace }, signal)));
  });
}

/** Everything about a plan, for a person. */
export function describePlan({ metadata, spec, status }: MigPlan): string {
  const volumes = (spec?.persistentVolumes ?? []).map(({ name, capacity, pvc, selection }) => [
    `  ${name ?? ""}`,
    `${pvc?.namespace ?? ""}/${pvc?.name ?? ""}`,
    String(capacity ?? ""),
    selection.action ?? "",
    selection.copyMethod ?? "",
    selection.storageClass ?? "",
  ]);
  const hooks = (spec?.hooks ?? []).map(
    ({ phase, reference, executionNamespace }) =>
      `  ${phase}: ${reference.name ?? ""} in ${executionNamespace}`,
  );
  return [
    `Name:       ${metadata.name}`,
    `Status:     ${readiness(status?.conditions)}`,
    `From:       ${spec?.srcMigClusterRef?.name ?? ""}`,
    `To:         ${spec?.destMigClusterRef?.name ?? ""}`,
    `Storage:    ${spec?.migStorageRef?.name ?? ""}`,
    `Namespaces: ${(spec?.namespaces ?? []).join(", ")}`,
    ...(volumes.length > 0
      ? [
          "Volumes:",
          table(["  VOLUME", "CLAIM", "SIZE", "ACTION", "COPY", "CLASS"], volumes)
            .replaceAll(/^(?=\S)/gm, "  ")
            .trimEnd(),
        ]
      : []),
    ...(hooks.length > 0 ? ["Hooks:", ...hooks] : []),
    "Conditions:",
    ...conditionLines(status?.conditions),
    "",
  ].join("\n");
}

/** A namespace, or `source:destination`. */
function readNamespace(word: string): string {
  const name = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
  if (new RegExp(`^${name}(:${name})?$`).test(word)) return word;
  const words = `--namespaces takes names of namespaces, or SOURCE:DESTINATION, not "${word}"`;
  throw new AppError("USAGE", words, { retry: false });
}

/** Reads `PHASE=HOOK:NAMESPACE:ACCOUNT`. */
function readHook(word: string, namespace: string) {
  const [, phase, hook, place, account] = /^([^=]+)=([^:]+):([^:]+):([^:]+)$/.exec(word) ?? [];
  if (!phase || !hook || !place || !account) {
    throw new AppError("USAGE", `--hook takes PHASE=HOOK:NAMESPACE:ACCOUNT, not "${word}"`, { retry: false });
  }
  return { phase, reference: { name: hook, namespace }, executionNamespace: place, serviceAccount: account };
}

async function untilReady(input: Input, io: Io, name: string, signal: AbortSignal): Promise<number> {
  let said = "";
  const last = await until(
    input,
    io,
    name,
    ({ status }) => {
      const isReady = readiness(status?.conditions) === "Ready";
      const why = isReady ? "" : whyNot(status?.conditions);
      if (why !== "" && why !== said) io.err(`waiting: ${why}\n`);
      said = why;
      return isReady;
    },
    signal,
  );
  if (!last) {
    io.err(`plan "${name}" is ready\n`);
    return 0;
  }
  const { conditions } = last.status ?? {};
  io.err(`plan "${name}" is not ready: ${readiness(conditions)}\n${conditionLines(conditions).join("\n")}\n`);
  return 1;
}

/** Closes a plan; `--wait` stays until what its runs left is removed. */
export async function closePlan(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const [name = ""] = input.args;
  await withCluster(input, io, async ({ client, namespace }) => {
    const body = { spec: { closed: true } };
    await client.patch(plans, name, { type: "merge", body }, { namespace }, signal);
  });
  io.err(`plan "${name}" is closed\n`);
  if (!given(input, "wait")) return 0;
  const isDone = ({ status }: MigPlan) => findCondition(status?.conditions, "Closed")?.reason === "Done";
  const last = await until(input, io, name, isDone, signal);
  if (!last) {
    io.err("what its migrations left is removed\n");
    return 0;
  }
  io.err(
    `${findCondition(last.status?.conditions, "Closed")?.message ?? "nobody has looked at it: does the operator run?"}\n`,
  );
  return 1;
}

/** Waits for a plan to become so; the plan as it is when it did not. */
async function until(
  input: Input,
  io: Io,
  name: string,
  isSo: (plan: MigPlan) => boolean,
  signal: AbortSignal,
): Promise<MigPlan | undefined> {
  return withCluster(input, io, async ({ client, namespace }) => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const plan = await client.get<MigPlan>(plans, name, { namespace }, signal);
      if (isSo(plan)) return undefined;
      if (Date.now() > end) return plan;
      const { sleep, systemClock } = await import("../../kube/index.ts");
      await sleep(systemClock, 500, signal);
    }
  });
}
