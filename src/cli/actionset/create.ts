import { randomBytes } from "node:crypto";
import { type ActionSet, type Blueprint, type KubeObject, kinds } from "../../api/index.ts";
import { actionSetFaults, resourceOfReference } from "../../engines/actionset/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, type Resource, resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { isPrinted } from "../make.ts";
import { type ActionSpec, buildActionSet, type Reference, readFlags } from "./build.ts";

const actionSets = resourceOf(kinds.ActionSet);
const endpoints: Readonly<Record<string, Resource>> = {
  deployment: builtIn.deployments,
  statefulset: builtIn.statefulSets,
  deploymentconfig: builtIn.deploymentConfigs,
  pvc: builtIn.claims,
  namespace: builtIn.namespaces,
};

/** Makes an ActionSet from the flags, or prints it; `--wait` stays until it has ended. */
export async function createActionSet(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const { client, namespace } = await openCluster(input, io);
  try {
    const asked = readFlags(input, namespace);
    const from = text(input, "from");
    const parent = from === undefined ? undefined : await parentOf(client, namespace, from, signal);
    const objects = [...asked.objects, ...(await selected(client, input, signal))];
    const set = buildActionSet({ ...asked, objects }, parent, randomName);
    const [fault] = actionSetFaults(set);
    if (fault !== undefined) throw new AppError("USAGE", fault, { retry: false });
    if (text(input, "dry-run") === "client" || isPrinted(input)) {
      const { structured } = await import("../render/structured.ts");
      io.out(await structured(set, text(input, "output") ?? "yaml"));
      return 0;
    }
    if (!given(input, "skip-validation")) await check(client, set, signal);
    if (set.spec?.actions?.every(({ profile }) => profile === undefined)) {
      io.err("no profile was given: phases that store data will fail\n");
    }
    await client.create<ActionSet>(actionSets, set, {}, signal);
    io.out(`actionset ${set.metadata.name} created\n`);
    if (!given(input, "wait")) {
      io.err(`\`headway actionset watch ${set.metadata.name}\` shows how far it is\n`);
      return 0;
    }
    const { waitForEnd } = await import("../watch/wait.ts");
    return await waitForEnd({ kind: "actionset", namespace, name: set.metadata.name }, input, io, signal);
  } finally {
    client.close();
  }
}

async function parentOf(
  client: Client,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ActionSet> {
  return client.get<ActionSet>(actionSets, name, { namespace }, signal);
}

/** Objects that `--selector` finds, of the kinds that `--kind` names. */
async function selected(client: Client, input: Input, signal: AbortSignal): Promise<Reference[]> {
  const labelSelector = text(input, "selector");
  if (labelSelector === undefined) return [];
  const kind = text(input, "kind") ?? "all";
  const wanted = kind === "all" ? ["deployment", "deploymentconfig", "statefulset", "pvc"] : [kind];
  const namespace = text(input, "selector-namespace");
  const found: Reference[] = [];
  for (const one of wanted) {
    const resource = endpoints[one];
    if (!resource)
      throw new AppError("USAGE", `--kind "${one}" is none of all, ${Object.keys(endpoints).join(", ")}`, {
        retry: false,
      });
    const list = await client
      .list<KubeObject>(resource, { namespace, labelSelector }, signal)
      .catch((error: unknown) => {
        if (kind === "all" && isNotFound(error)) return []; // only OpenShift has them
        throw error;
      });
    found.push(
      ...list.map(({ metadata }) => ({
        kind: one,
        name: metadata.name,
        namespace: metadata.namespace ?? "",
      })),
    );
  }
  if (found.length === 0)
    throw new AppError("USAGE", `--selector "${labelSelector}" selects nothing`, { retry: false });
  return found;
}

/** Everything that the ActionSet names must be there; all that is missing is told. */
async function check(client: Client, set: ActionSet, signal: AbortSignal): Promise<void> {
  const { namespace = "" } = set.metadata;
  const checks = (set.spec?.actions ?? []).flatMap((action) => {
    const { kind = "" } = action.object ?? {};
    const resource = endpoints[kind.toLowerCase()] ?? resourceOfReference(action.object ?? {});
    return [
      blueprintFault(client, namespace, action, signal),
      fault(client, resource, action.object, signal),
      ...(action.profile ? [fault(client, resourceOf(kinds.Profile), action.profile, signal)] : []),
      ...Object.values(action.secrets ?? {}).map((one) => fault(client, builtIn.secrets, one, signal)),
      ...Object.values(action.configMaps ?? {}).map((one) => fault(client, builtIn.configMaps, one, signal)),
    ];
  });
  const faults = new Set((await Promise.all(checks)).filter((one) => one !== undefined));
  if (faults.size > 0) throw new AppError("USAGE", [...faults].join("\n"), { retry: false });
}

async function blueprintFault(
  client: Client,
  namespace: string,
  { blueprint: name = "", name: action = "" }: ActionSpec,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const blueprint = await client.get<Blueprint>(resourceOf(kinds.Blueprint), name, { namespace }, signal);
    if (blueprint.actions?.[action]) return undefined;
    return `blueprint "${name}" has no action "${action}"; it has ${Object.keys(blueprint.actions ?? {}).join(", ")}`;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return `there is no blueprint "${name}" in namespace "${namespace}"`;
  }
}

async function fault(
  client: Client,
  resource: Resource,
  reference: Reference | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name = "", namespace } = reference ?? {};
  try {
    await client.get(resource, name, resource.namespaced ? { namespace } : {}, signal);
    return undefined;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return `${resource.kind} "${[namespace, name].filter(Boolean).join("/")}" does not exist`;
  }
}

function randomName(): string {
  // Letters and digits that cannot be read as each other, as Kubernetes makes its names.
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return [...randomBytes(5)].map((byte) => alphabet[byte % alphabet.length]).join("");
}
