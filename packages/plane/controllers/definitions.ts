import type { Api } from "../api.ts";
import { definitionFinalizer } from "../deletion.ts";
import { listAt, mapAt, same, stamp, textAt } from "../object.ts";
import { type Controller, keyOf } from "./controller.ts";

/** Deletes the custom resources of a definition that goes away. */
export const definitions: Controller = {
  name: "definitions",
  watches: {
    "customresourcedefinitions.apiextensions.k8s.io": (o) => [keyOf(o)],
    "*": (_o, change) =>
      change.type === "DELETED" && change.resource.includes(".") ? [`/${change.resource}`] : [],
  },
  reconcile(api, _none, name) {
    const resource = api.resource("customresourcedefinitions.apiextensions.k8s.io");
    const definition = api.read(resource.storage, "", name);
    if (definition?.metadata.deletionTimestamp === undefined) return;
    let left = 0;
    const served = api.registry.findStorage(name);
    for (const object of served ? api.readAll(name) : []) {
      left += 1;
      if (object.metadata.deletionTimestamp !== undefined || !served) continue;
      if (api.delete(served, object.metadata.namespace ?? "", object.metadata.name).gone) left -= 1;
    }
    if (left > 0) return;
    const finalizers = (definition.metadata.finalizers ?? []).filter((f) => f !== definitionFinalizer);
    api.update(resource, "", { ...definition, metadata: { ...definition.metadata, finalizers } });
  },
};

/** Completes a definition as it is written: names, conversion, and the conditions that say it is served. */
export function admitDefinitions(api: Api): Api["admissions"][number] {
  return (object, resource) => {
    if (resource.storage !== "customresourcedefinitions.apiextensions.k8s.io" || !object.spec) return;
    const names = mapAt(object.spec, "names");
    names["singular"] ??= (textAt(names, "kind") ?? "").toLowerCase();
    names["listKind"] ??= `${textAt(names, "kind") ?? ""}List`;
    object.spec["conversion"] ??= { strategy: "None" };
    if (object.metadata.deletionTimestamp !== undefined) return;
    const stored = listAt(object.spec, "versions").find((v) => mapAt({ v }, "v")["storage"] === true);
    const before = listAt(object.status, "storedVersions");
    const storedVersions = [...new Set([...before, textAt(stored, "name") ?? ""])];
    if (object.status && same(object.status["acceptedNames"], names) && same(before, storedVersions)) return;
    const lastTransitionTime = stamp(api.now());
    object.status = {
      conditions: [
        condition("NamesAccepted", "NoConflicts", "no conflicts found", lastTransitionTime),
        condition(
          "Established",
          "InitialNamesAccepted",
          "the initial names have been accepted",
          lastTransitionTime,
        ),
      ],
      acceptedNames: names,
      storedVersions,
    };
  };
}

function condition(
  type: string,
  reason: string,
  message: string,
  lastTransitionTime: string,
): Record<string, string> {
  return { type, status: "True", lastTransitionTime, reason, message };
}
