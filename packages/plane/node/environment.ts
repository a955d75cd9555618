import type { Api } from "../api.ts";
import { isMap, type JsonMap, type KubeObject, listAt, mapAt, textAt, words } from "../object.ts";
import { fieldText, NotYet } from "./volumes.ts";

/** A container's environment: what the node gives, then `envFrom`, then `env` in order with `$(NAME)` expanded. */
export function environmentOf(
  api: Api,
  pod: KubeObject,
  container: JsonMap,
  base: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = { ...base };
  const namespace = pod.metadata.namespace ?? "";
  for (const from of listAt(container, "envFrom").filter(isMap)) {
    const prefix = textAt(from, "prefix") ?? "";
    for (const [kind, storage] of [
      ["configMapRef", "configmaps"],
      ["secretRef", "secrets"],
    ] as const) {
      const ref = from[kind];
      if (!isMap(ref)) continue;
      for (const [key, value] of Object.entries(values(api, namespace, storage, ref)))
        env[prefix + key] = value;
    }
  }
  for (const entry of listAt(container, "env").filter(isMap)) {
    const name = textAt(entry, "name") ?? "";
    const source = mapAt(entry, "valueFrom");
    const value =
      entry["valueFrom"] === undefined
        ? expand(textAt(entry, "value") ?? "", env)
        : reference(api, pod, source, container);
    if (value !== undefined) env[name] = value;
  }
  return env;
}

/** Replaces `$(NAME)` by a variable's value; `$$` escapes, unknown names stay. */
export function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^()]+)\)/g, (all, name: string | undefined) => {
    if (name === undefined) return "$";
    return env[name] ?? all;
  });
}

function values(api: Api, namespace: string, storage: string, ref: JsonMap): Record<string, string> {
  const object = api.read(storage, namespace, textAt(ref, "name") ?? "");
  if (!object) {
    if (ref["optional"] === true) return {};
    throw new NotYet(`${storage === "secrets" ? "secret" : "configmap"} "${textAt(ref, "name")}" not found`);
  }
  const decode = (value: unknown): string =>
    storage === "secrets" ? Buffer.from(words(value), "base64").toString() : words(value);
  return Object.fromEntries(
    Object.entries(mapAt(object, "data")).map(([key, value]) => [key, decode(value)]),
  );
}

function reference(api: Api, pod: KubeObject, source: JsonMap, container: JsonMap): string | undefined {
  const field = textAt(mapAt(source, "fieldRef"), "fieldPath");
  if (field !== undefined) return fieldText(pod, field);
  const resource = textAt(mapAt(source, "resourceFieldRef"), "resource");
  if (resource !== undefined) {
    const [list = "", name = ""] = resource.split(".");
    return words(mapAt(mapAt(container, "resources"), list)[name] ?? "0");
  }
  for (const [kind, storage] of [
    ["configMapKeyRef", "configmaps"],
    ["secretKeyRef", "secrets"],
  ] as const) {
    const ref = source[kind];
    if (!isMap(ref)) continue;
    const value = values(api, pod.metadata.namespace ?? "", storage, ref)[textAt(ref, "key") ?? ""];
    if (value === undefined && ref["optional"] !== true) {
      throw new NotYet(`couldn't find key ${textAt(ref, "key")} in ${textAt(ref, "name")}`);
    }
    return value;
  }
  return undefined;
}
