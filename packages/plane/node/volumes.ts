import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Api } from "../api.ts";
import {
  at,
  isMap,
  type JsonMap,
  type KubeObject,
  listAt,
  mapAt,
  numberAt,
  textAt,
  words,
} from "../object.ts";
import type { Tokens } from "../tokens.ts";

/** A volume that cannot be provided yet, and why. */
export class NotYet extends Error {
  override readonly name = "NotYet";
}

/** What making volumes needs. */
export interface VolumeDeps {
  readonly api: Api;
  readonly tokens: Tokens;
  /** `pods` in the state folder, laid out like the kubelet's. */
  readonly podsDir: string;
  /** Whether folders can be bound into the pod's own folder; else they are linked. */
  readonly canMount: boolean;
}

/** Makes a pod's volumes and returns the folder of each by name. */
export function makeVolumes(deps: VolumeDeps, pod: KubeObject): Map<string, string> {
  const folders = new Map<string, string>();
  for (const volume of listAt(pod.spec, "volumes").filter(isMap)) {
    folders.set(textAt(volume, "name") ?? "", makeVolume(deps, pod, volume));
  }
  return folders;
}

function makeVolume(deps: VolumeDeps, pod: KubeObject, volume: JsonMap): string {
  const name = textAt(volume, "name") ?? "";
  const own = (plugin: string, leaf = name): string =>
    join(deps.podsDir, pod.metadata.uid ?? "", "volumes", `kubernetes.io~${plugin}`, leaf);
  const namespace = pod.metadata.namespace ?? "";
  if (volume["emptyDir"] !== undefined) return folder(own("empty-dir"));
  if (isMap(volume["hostPath"])) return hostPath(volume["hostPath"]);
  if (isMap(volume["configMap"])) {
    const source = volume["configMap"];
    return fill(
      own("configmap"),
      files(deps.api, namespace, "configmaps", textAt(source, "name") ?? "", source),
      source,
    );
  }
  if (isMap(volume["secret"])) {
    const source = volume["secret"];
    return fill(
      own("secret"),
      files(deps.api, namespace, "secrets", textAt(source, "secretName") ?? "", source),
      source,
    );
  }
  if (isMap(volume["downwardAPI"]))
    return fill(own("downward-api"), downward(pod, volume["downwardAPI"]), volume["downwardAPI"]);
  if (isMap(volume["projected"])) return projected(deps, pod, volume["projected"], own("projected"));
  const claimName = textAt(mapAt(volume, "persistentVolumeClaim"), "claimName");
  if (claimName !== undefined) return claim(deps, namespace, claimName, own);
  throw new NotYet(`volume "${name}" is of a kind that the embedded cluster does not have`);
}

function folder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o777 });
  return path;
}

function hostPath(source: JsonMap): string {
  const path = textAt(source, "path") ?? "/";
  const type = textAt(source, "type") ?? "";
  if (type === "DirectoryOrCreate" || type === "") folder(existsSync(path) ? dirname(path) : path);
  if (!existsSync(path)) throw new NotYet(`hostPath "${path}" does not exist`);
  return path;
}

type Files = Map<string, Buffer>;

function files(api: Api, namespace: string, storage: string, name: string, source: JsonMap): Files {
  const out: Files = new Map();
  const object = api.read(storage, namespace, name);
  if (!object) {
    if (source["optional"] === true) return out;
    throw new NotYet(`${storage === "secrets" ? "secret" : "configmap"} "${name}" not found`);
  }
  for (const [key, value] of Object.entries(mapAt(object, "data"))) {
    out.set(key, storage === "secrets" ? Buffer.from(words(value), "base64") : Buffer.from(words(value)));
  }
  for (const [key, value] of Object.entries(mapAt(object, "binaryData")))
    out.set(key, Buffer.from(words(value), "base64"));
  const items = listAt(source, "items").filter(isMap);
  if (items.length === 0) return out;
  const chosen: Files = new Map();
  for (const item of items) {
    const content = out.get(textAt(item, "key") ?? "");
    if (content) chosen.set(textAt(item, "path") ?? "", content);
    else if (source["optional"] !== true) throw new NotYet(`"${name}" has no key "${textAt(item, "key")}"`);
  }
  return chosen;
}

function downward(pod: KubeObject, source: JsonMap): Files {
  const out: Files = new Map();
  for (const item of listAt(source, "items").filter(isMap)) {
    out.set(
      textAt(item, "path") ?? "",
      Buffer.from(fieldText(pod, textAt(mapAt(item, "fieldRef"), "fieldPath") ?? "")),
    );
  }
  return out;
}

/** The value of a downward API field. */
export function fieldText(pod: KubeObject, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['([^']+)'\]$/.exec(path);
  if (keyed) return pod.metadata[keyed[1] as "labels" | "annotations"]?.[keyed[2] ?? ""] ?? "";
  const value = at(pod, path);
  if (isMap(value)) {
    return Object.entries(value)
      .map(([key, item]) => `${key}=${JSON.stringify(item)}`)
      .join("\n");
  }
  return value === undefined ? "" : words(value);
}

function projected(deps: VolumeDeps, pod: KubeObject, source: JsonMap, path: string): string {
  const namespace = pod.metadata.namespace ?? "";
  const all: Files = new Map();
  for (const part of listAt(source, "sources").filter(isMap)) {
    const add = (more: Files): void => more.forEach((content, name) => void all.set(name, content));
    if (isMap(part["configMap"]))
      add(
        files(deps.api, namespace, "configmaps", textAt(part["configMap"], "name") ?? "", part["configMap"]),
      );
    if (isMap(part["secret"]))
      add(files(deps.api, namespace, "secrets", textAt(part["secret"], "name") ?? "", part["secret"]));
    if (isMap(part["downwardAPI"])) add(downward(pod, part["downwardAPI"]));
    if (isMap(part["serviceAccountToken"])) {
      const name = textAt(pod.spec, "serviceAccountName") ?? "default";
      const uid = deps.api.read("serviceaccounts", namespace, name)?.metadata.uid;
      if (uid === undefined) throw new NotYet(`serviceaccount "${name}" not found`);
      // Not renewed while the pod runs, so it lasts long enough for any trial.
      const { token } = deps.tokens.issue({ namespace, name, uid }, 30 * 86_400, deps.api.now());
      all.set(textAt(part["serviceAccountToken"], "path") ?? "token", Buffer.from(token));
    }
  }
  return fill(path, all, source);
}

function fill(path: string, content: Files, source: JsonMap): string {
  const mode = numberAt(source, "defaultMode") ?? 0o644;
  folder(path);
  for (const [name, bytes] of content) {
    const file = join(path, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode });
  }
  return path;
}

function claim(
  deps: VolumeDeps,
  namespace: string,
  name: string,
  own: (plugin: string, leaf?: string) => string,
): string {
  const object = deps.api.read("persistentvolumeclaims", namespace, name);
  if (!object) throw new NotYet(`persistentvolumeclaim "${name}" not found`);
  const volumeName = textAt(object.spec, "volumeName");
  const volume = volumeName === undefined ? undefined : deps.api.read("persistentvolumes", "", volumeName);
  if (!volume || textAt(object.status, "phase") !== "Bound")
    throw new NotYet(`persistentvolumeclaim "${name}" is not bound`);
  const host = textAt(mapAt(volume.spec, "hostPath"), "path");
  if (host !== undefined) return hostPath(mapAt(volume.spec, "hostPath"));
  const csi = textAt(mapAt(mapAt(volume.spec, "csi"), "volumeAttributes"), "path");
  const local = textAt(mapAt(volume.spec, "local"), "path") ?? csi;
  if (local === undefined)
    throw new NotYet(`volume "${volumeName}" is of a kind that the embedded cluster does not have`);
  folder(local);
  // Volumes of CSI drivers are mounted one level deeper.
  const shown = csi === undefined ? own("local-volume", volumeName) : join(own("csi", volumeName), "mount");
  attach(local, shown, deps.canMount);
  return local;
}

/** Shows a volume's folder in the pod's own, where a node agent looks for it. */
function attach(source: string, target: string, canMount: boolean): void {
  if (isMounted(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  if (canMount) {
    mkdirSync(target, { recursive: true });
    const { status } = spawnSync("mount", ["--bind", source, target]);
    if (status === 0) return;
    rmSync(target, { recursive: true });
  }
  if (!existsSync(target)) symlinkSync(source, target);
}

function mountPoints(): string[] {
  const text = existsSync("/proc/self/mounts") ? readFileSync("/proc/self/mounts", "utf8") : "";
  return text.split("\n").map((line) => (line.split(" ")[1] ?? "").replaceAll("\\040", " "));
}

function isMounted(target: string): boolean {
  return mountPoints().includes(target);
}

/** Takes away every mount below a folder; false when one is left, and then nothing may be deleted there. */
export function detachBelow(path: string): boolean {
  const below = (): string[] => mountPoints().filter((point) => point.startsWith(`${path}/`));
  for (const target of below().toReversed()) spawnSync("umount", ["-l", target]);
  return below().length === 0;
}
