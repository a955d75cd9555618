import type { Kind } from "./kind.ts";

/** The CustomResourceDefinition of a kind, as the API server takes it. */
export function crdOf(kind: Kind) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
      },
      scope: kind.scope,
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          ...(kind.columns.length > 0 && { additionalPrinterColumns: kind.columns }),
          schema: {
            openAPIV3Schema: {
              type: "object",
              description: kind.description,
              properties: {
                apiVersion: { type: "string", description: "Group and version of this object's schema" },
                kind: { type: "string", description: "Kind of this object" },
                metadata: { type: "object" },
                ...kind.fields,
              },
            },
          },
          ...(kind.statusSubresource && { subresources: { status: {} } }),
        },
      ],
    },
  } as const;
}
