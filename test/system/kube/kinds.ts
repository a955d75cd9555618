import type { KubeObject } from "../../../src/api/index.ts";
import { builtIn } from "../../../src/kube/index.ts";

/** Kinds that every cluster has. */
export const configMaps = builtIn.configMaps;
export const crds = builtIn.definitions;

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { test: "kube" } },
  data,
});
