const labels = ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"];
/** Keys of the required node affinity, in the order in which they are asked. */
const affinityKeys = [
  "topology.ebs.csi.aws.com/zone",
  "topology.disk.csi.azure.com/zone",
  "topology.gke.io/zone",
  "topology.cinder.csi.openstack.org/zone",
  "topology.manila.csi.openstack.org/zone",
  ...labels,
];

interface Volume {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly nodeAffinity?: {
      readonly required?: {
        readonly nodeSelectorTerms?: readonly {
          readonly matchExpressions?: readonly {
            readonly key: string;
            readonly values?: readonly string[];
          }[];
        }[];
      };
    };
  };
}

/** The zone of a PersistentVolume; "" when it tells none. */
export function zoneOf(volume: Readonly<Record<string, unknown>>): string {
  const { metadata, spec } = volume as Volume; // the server's own shape
  for (const key of labels) {
    const zone = metadata?.labels?.[key];
    if (zone) return zone;
  }
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const expressions = terms.flatMap(({ matchExpressions }) => matchExpressions ?? []);
  for (const key of affinityKeys) {
    const values = expressions.filter((one) => one.key === key).flatMap((one) => one.values ?? []);
    // Regional disks of one provider live in several zones and are named by all of them.
    if (values.length > 0) return key === "topology.gke.io/zone" ? values.join("__") : (values[0] ?? "");
  }
  return "";
}
