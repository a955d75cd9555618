import { kinds, type MigPlan } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { given, type Input, text, texts } from "../command.ts";
import type { Io } from "../io.ts";
import { conditionLines, createObjects, getObjects, headOf, readiness } from "../migration/objects.ts";
import { table } from "../render/table.ts";

const plans = resourceOf(kinds.MigPlan);
/** How long `--wait` waits for a plan to become ready. */
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
      namespaces: texts(input, "namespaces"),
      // Volumes and images go through the store; upstream takes an absent field for the direct way.
      indirectImageMigration: true,
      indirectVolumeMigration: true,
      ...(hooks.length > 0 && { hooks }),
    },
  };
  if (!(await createObjects([plan], { input, io }, signal))) return 0;
  io.err(`plan "${name}" was created\n`);
  return given(input, "wait") ? untilReady(input, io, name, signal) : 0;
}

/** Lists plans. */
export function getPlans(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  return getObjects(
    "MigPlan",
    {
      headings: ["NAME", "STATUS", "FROM", "TO", "STORAGE", "NAMESPACES", "VOLUMES"],
      rowOf: ({ metadata, spec, status }) => [
        metadata.name,
        readiness(status?.conditions),
        spec?.srcMigClusterRef?.name ?? "",
        spec?.destMigClusterRef?.name ?? "",
        spec?.migStorageRef?.name ?? "",
        (spec?.namespaces ?? []).join(","),
        String(spec?.persistentVolumes?.length ?? 0),
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

/** Reads `PHASE=HOOK:NAMESPACE:ACCOUNT`. */
function readHook(word: string, namespace: string) {
  const [, phase, hook, place, account] = /^([^=]+)=([^:]+):([^:]+):([^:]+)$/.exec(word) ?? [];
  if (!phase || !hook || !place || !account) {
    throw new AppError("USAGE", `--hook takes PHASE=HOOK:NAMESPACE:ACCOUNT, not "${word}"`, { retry: false });
  }
  return { phase, reference: { name: hook, namespace }, executionNamespace: place, serviceAccount: account };
}

async function untilReady(input: Input, io: Io, name: string, signal: AbortSignal): Promise<number> {
  return withCluster(input, io, async ({ client, namespace }) => {
    const end = Date.now() + patienceMs;
    for (;;) {
      const { status } = await client.get<MigPlan>(plans, name, { namespace }, signal);
      const state = readiness(status?.conditions);
      if (state === "Ready") {
        io.err(`plan "${name}" is ready\n`);
        return 0;
      }
      if (Date.now() > end) {
        io.err(`plan "${name}" is not ready: ${state}\n${conditionLines(status?.conditions).join("\n")}\n`);
        return 1;
      }
      const { sleep, systemClock } = await import("../../kube/index.ts");
      await sleep(systemClock, 500, signal);
    }
  });
}
