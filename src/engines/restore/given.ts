import {
  type Backup,
  type ItemRules,
  kinds,
  type PodVolumeBackup,
  type Restore,
  readStoredPodVolumeBackups,
  veleroNames,
} from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, isNotFound, labelValue, resourceOf } from "../../kube/index.ts";
import { backupKey, storedList } from "../../store/index.ts";
import { restoreRules } from "./item-rules.ts";
import type { Json } from "./json.ts";
import { modifierOf } from "./modifiers/modifiers.ts";
import { settingsOf } from "./stored.ts";

const podVolumeBackups = resourceOf(kinds.PodVolumeBackup);
const configMaps = builtIn.configMaps;

/** Where the server's own objects are, for a run and for the plan of one. */
export interface Home {
  readonly client: Pick<Client, "get" | "list">;
  readonly namespace: string;
}

/** Those of the cluster; those of the store when the backup was made elsewhere and nobody has brought them here. */
export async function podVolumeBackupsOf(
  { client, namespace }: Home,
  backup: Backup,
  store: Parameters<typeof storedList>[0],
  signal: AbortSignal,
): Promise<readonly PodVolumeBackup[]> {
  const name = backup.metadata.name;
  const labelSelector = `${veleroNames.backupName}=${labelValue(name)}`;
  const known = await client.list<PodVolumeBackup>(podVolumeBackups, { namespace, labelSelector }, signal);
  if (known.length > 0) return known;
  const stored = await storedList(store, name, "podVolumeBackups", signal);
  return readStoredPodVolumeBackups(stored, backupKey(name, "podVolumeBackups"));
}

/** The settings of two built-in actions, from ConfigMaps that carry their labels. */
export async function actionSettings(
  { client, namespace }: Home,
  signal: AbortSignal,
): Promise<{ storageClasses?: Json; images?: Json }> {
  const one = async (plugin: string): Promise<Json | undefined> => {
    const labelSelector = `velero.io/plugin-config,velero.io/${plugin}=RestoreItemAction`;
    const [found]: unknown[] = await client.list(configMaps, { namespace, labelSelector }, signal);
    return found as Json | undefined;
  };
  const storageClasses = await one("change-storage-class");
  const images = await one("change-image-name");
  return { ...(storageClasses && { storageClasses }), ...(images && { images }) };
}

/** What the resource policy of a restore asks of items, or what is wrong with it. */
export async function itemRulesOf(
  { client, namespace }: Home,
  found: Restore,
  signal: AbortSignal,
): Promise<{ rules?: ItemRules } | { fault: string }> {
  const reference = found.spec?.resourcePolicy;
  if (!reference) return {};
  const fault = (why: string) => ({ fault: `resource policy "${reference.name}": ${why}` });
  if (reference.kind.toLowerCase() !== "configmap") return fault("it must be a ConfigMap");
  try {
    const map: unknown = await client.get(configMaps, reference.name, { namespace }, signal);
    const texts = Object.values(settingsOf(map as Json)); // only its texts are taken
    if (texts.length !== 1) return fault(`it must have exactly one key, and has ${texts.length}`);
    const rules = restoreRules(texts[0] ?? "");
    return typeof rules === "string" ? fault(rules) : rules;
  } catch (error) {
    if (isNotFound(error)) return fault(`there is no ConfigMap "${reference.name}"`);
    throw error;
  }
}

/** The text of the resource modifiers that a restore names, or what is wrong with them. */
export async function modifiersOf(
  { client, namespace }: Home,
  found: Restore,
  signal: AbortSignal,
): Promise<{ text?: string } | { fault: string }> {
  const reference = found.spec?.resourceModifier;
  if (!reference) return {};
  try {
    const map: unknown = await client.get(configMaps, reference.name, { namespace }, signal);
    const texts = Object.values(settingsOf(map as Json)); // only its texts are taken
    const [text] = texts;
    if (texts.length !== 1 || text === undefined)
      return { fault: `ConfigMap "${reference.name}" must have exactly one key` };
    modifierOf(text);
    return { text };
  } catch (error) {
    if (isNotFound(error))
      return { fault: `there is no ConfigMap "${reference.name}" with resource modifiers` };
    if (error instanceof AppError && error.code === "MODIFIER_INVALID") return { fault: error.message };
    throw error;
  }
}
