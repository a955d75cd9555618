import type { Item } from "../archive/item-json.ts";
import { isRecord, recordOf, recordsOf, update } from "../json.ts";

/** An APIService that the API server keeps by itself. */
export function isAutomaticApiService(service: Item): boolean {
  return service.metadata.labels?.["kube-aggregator.kubernetes.io/automanaged"] !== undefined;
}

/** Webhooks of the old version may lack what the new one demands. */
export function completeWebhooks(configuration: Item): Item {
  if (configuration.apiVersion !== "admissionregistration.k8s.io/v1beta1") return configuration;
  return update(configuration, ["webhooks"], (hooks) =>
    Array.isArray(hooks)
      ? recordsOf(hooks).map((hook) =>
          hook["sideEffects"] === undefined ? { ...hook, sideEffects: "None" } : hook,
        )
      : hooks,
  );
}

/** A definition of the old version says at its top what the new one says inside its schema. */
export function preserveFields(definition: Item): Item {
  const spec = recordOf(definition["spec"]);
  if (definition.apiVersion !== "apiextensions.k8s.io/v1beta1" || spec["preserveUnknownFields"] !== true)
    return definition;
  const open = (validation: unknown): unknown => {
    const schema = recordOf(recordOf(validation)["openAPIV3Schema"]);
    return { openAPIV3Schema: { type: "object", ...schema, "x-kubernetes-preserve-unknown-fields": true } };
  };
  const shared = spec["validation"];
  const versions = recordsOf(spec["versions"]).map((version) =>
    isRecord(version["schema"]) ? { ...version, schema: open(version["schema"]) } : version,
  );
  return {
    ...definition,
    spec: {
      ...spec,
      preserveUnknownFields: false,
      ...(versions.length > 0 && { versions }),
      ...(isRecord(shared) && { validation: open(shared) }),
    },
  };
}
