import { objectReference } from "../core.ts";
import { ageColumn, column, defineKind, type ObjectOf } from "../kind.ts";
import { base64, bool, obj, str } from "../schema.ts";
import { conditions, observedDigest, readyColumn, v1alpha1 } from "./group.ts";

/** The kind MigCluster. */
export const migCluster = defineKind({
  ...v1alpha1,
  kind: "MigCluster",
  plural: "migclusters",
  description: "A cluster to migrate from or to",
  fields: {
    spec: obj(
      "Which cluster, and how to reach it",
      {
        isHostCluster: bool("Whether it is the cluster this object is in"),
        url: str("Address of its API server"),
        serviceAccountSecretRef: objectReference("Secret with the token, in key saToken"),
        caBundle: base64("Certificates to trust"),
        insecure: bool("Whether the server's certificate is not checked"),
        restartRestic: bool("Whether restic is restarted after stage pods were made; absent: as needed"),
        exposedRegistryPath: str("Address of its image registry"),
        azureResourceGroup: str("Resource group of its volumes, on Azure"),
        refresh: bool("Whether the cluster is to be checked anew"),
      },
      ["isHostCluster"],
    ),
    status: obj("How the cluster is", {
      conditions,
      observedDigest,
      registryPath: str("Address of its image registry"),
      operatorVersion: str("Version of the migration operator on it"),
    }),
  },
  columns: [
    readyColumn,
    column("URL", ".spec.url"),
    column("Host", ".spec.isHostCluster", "boolean"),
    ageColumn,
  ],
});

/** A cluster to migrate from or to. */
export type MigCluster = ObjectOf<typeof migCluster>;
