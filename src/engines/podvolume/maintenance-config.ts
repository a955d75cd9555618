import { isRecord } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { builtIn, type Client, isNotFound, type Log } from "../../kube/index.ts";

/** Why each setting of upstream's maintenance Jobs has no effect: maintenance runs in the operator (decision 0251). */
const withoutEffect: Readonly<Record<string, string>> = {
  loadAffinity: "maintenance runs in the operator, and its own affinity counts",
  podResources: "maintenance runs in the operator, and its own resources count",
  keepLatestMaintenanceJobs: "there are no Jobs to keep; status.recentMaintenance has the last runs",
  priorityClassName: "maintenance runs in the operator, and its own priority class counts",
  podAnnotations: "there are no pods to annotate",
  podLabels: "there are no pods to label",
};

/** What of a ConfigMap for maintenance Jobs has no effect, one sentence for each setting, whichever keys have it. */
export function maintenanceRemarks(data: Readonly<Record<string, string>>): readonly string[] {
  const remarks: string[] = [];
  const keysBySetting = new Map<string, string[]>();
  for (const [key, text] of Object.entries(data)) {
    const found = parsed(text);
    if (!found) {
      remarks.push(`its key "${key}" is no JSON object`);
      continue;
    }
    for (const name of Object.keys(found)) {
      keysBySetting.set(name, [...(keysBySetting.get(name) ?? []), `"${key}"`]);
    }
  }
  for (const [name, keys] of keysBySetting) {
    const why = Object.hasOwn(withoutEffect, name) ? withoutEffect[name] : "it is not known";
    remarks.push(`${name} (in ${keys.join(", ")}) has no effect: ${why}`);
  }
  return remarks;
}

/** Reads the ConfigMap that upstream's server gives to its maintenance Jobs, and logs once what of it has no effect. */
export async function tellMaintenanceConfig(
  { client, namespace, log }: { client: Pick<Client, "get">; namespace: string; log: Log },
  map: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const found = await client.get(builtIn.configMaps, map, { namespace }, signal);
    const { data = {} } = found as { readonly data?: Readonly<Record<string, string>> }; // a ConfigMap's data is text
    for (const remark of maintenanceRemarks(data)) log("warning", `ConfigMap "${map}": ${remark}`);
  } catch (error) {
    if (signal.aborted) return;
    const why = isNotFound(error) ? "it is not there" : messageOf(error);
    log("warning", `the ConfigMap "${map}" of maintenance cannot be read: ${why}`);
  }
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined; // told by whoever wanted an object
  }
}
