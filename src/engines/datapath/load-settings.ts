import type { KubeObject } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, isForbidden, isNotFound } from "../../kube/index.ts";
import { resources } from "./resources.ts";
import { type MovementSettings, readSettings } from "./settings.ts";

type ConfigMap = KubeObject & { readonly data?: Readonly<Record<string, string>> };

/** Reads upstream's ConfigMap for a node; `notes` are what a person should know of it, once. */
export async function loadSettings(
  client: Pick<Client, "get">,
  where: { readonly namespace: string; readonly configMap: string; readonly node: string },
  signal: AbortSignal,
): Promise<{ readonly settings: MovementSettings; readonly notes: readonly string[] }> {
  const { namespace, configMap, node } = where;
  const found = await orNothing(
    client.get<ConfigMap>(resources.configMaps, configMap, { namespace }, signal),
  );
  if (!found) {
    const what = `there is no ConfigMap "${namespace}/${configMap}" with the settings of the node agents`;
    throw new AppError("AGENT_SETTINGS", what, { retry: false });
  }
  const own = await orNothing(client.get<KubeObject>(resources.nodes, node, {}, signal));
  const { settings, unheeded } = readSettings(found.data, own?.metadata.labels ?? {});
  const notes = unheeded.map((one) => `ConfigMap "${configMap}": ${one} has no effect`);
  const { priorityClass, ...others } = settings;
  if (priorityClass === undefined) return { settings, notes };
  if (await orNothing(client.get(resources.priorityClasses, priorityClass, {}, signal)))
    return { settings, notes };
  const missing = `ConfigMap "${configMap}": there is no PriorityClass "${priorityClass}", so it has no effect`;
  return { settings: others, notes: [...notes, missing] };
}

async function orNothing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined;
    throw error;
  }
}
