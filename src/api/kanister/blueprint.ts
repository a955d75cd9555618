import { defineKind, type ObjectOf } from "../kind.ts";
import { anyObject, listOf, mapOf, obj, str, strings } from "../schema.ts";
import { artifact, reference, v1alpha1 } from "./group.ts";

const phase = obj("A phase", {
  func: str("The function that does the work"),
  name: str("The phase's name"),
  objects: mapOf("Secrets and ConfigMaps for the templates", reference("A Secret or ConfigMap")),
  args: anyObject("Arguments of the function, as templates"),
});

/** The kind Blueprint. */
export const blueprint = defineKind({
  ...v1alpha1,
  kind: "Blueprint",
  plural: "blueprints",
  description: "How to do actions on an application",
  fields: {
    actions: mapOf(
      "The actions, by name",
      obj("An action", {
        name: str("The action's name, for information"),
        kind: str("The kind of object it acts on"),
        configMapNames: strings("ConfigMaps it needs"),
        secretNames: strings("Secrets it needs"),
        inputArtifactNames: strings("Artifacts it needs"),
        outputArtifacts: mapOf("Artifacts it makes, as templates", artifact),
        phases: listOf("The phases, run in their order", phase),
        deferPhase: phase,
      }),
    ),
  },
});

/** How to do actions on an application. */
export type Blueprint = ObjectOf<typeof blueprint>;
